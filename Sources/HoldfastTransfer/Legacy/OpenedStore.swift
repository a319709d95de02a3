package import Holdfast

/// A store, and what became of the legacy file beside it when it was opened.
package struct OpenedStore: Sendable {
  package let store: Store
  package let access: LibraryAccess
  /// What was imported; nil when there was nothing to import.
  package let importReport: ImportReport?
  /// Why the legacy file could not be imported; nil when there was none, or it could.
  package let importFailure: StoreError?

  package init(_ store: Store, access: LibraryAccess? = nil, importReport: ImportReport? = nil, importFailure: StoreError? = nil) {
    self.store = store
    self.access = access ?? LibraryAccess(store)
    self.importReport = importReport
    self.importFailure = importFailure
  }
}
