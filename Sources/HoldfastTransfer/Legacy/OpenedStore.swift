package import Holdfast

/// An opened store, and the outcome of importing the legacy file beside it.
package struct OpenedStore: Sendable {
  package let store: Store
  package let access: LibraryAccess
  /// The report of the import; nil when nothing was imported.
  package let importReport: ImportReport?
  /// The reason why the legacy file was not imported; nil when there was none, or when it was imported.
  package let importFailure: StoreError?

  package init(_ store: Store, access: LibraryAccess? = nil, importReport: ImportReport? = nil, importFailure: StoreError? = nil) {
    self.store = store
    self.access = access ?? LibraryAccess(store)
    self.importReport = importReport
    self.importFailure = importFailure
  }
}
