public import Holdfast

/// An opened store, and the outcome of importing the legacy file beside it.
public struct OpenedStore: Sendable {
  /// The store, in a file or in memory.
  public let store: Store
  /// Whether the library in the store can be changed, and how it is kept.
  public let access: LibraryAccess
  /// The report of the import; nil when nothing was imported.
  public let importReport: ImportReport?
  /// The reason why the legacy file was not imported; nil when there was none, or when it was imported.
  public let importFailure: StoreError?

  /// Describes an opened store.
  ///
  /// - Parameter access: nil is the access of the store.
  public init(_ store: Store, access: LibraryAccess? = nil, importReport: ImportReport? = nil, importFailure: StoreError? = nil) {
    self.store = store
    self.access = access ?? LibraryAccess(store)
    self.importReport = importReport
    self.importFailure = importFailure
  }
}
