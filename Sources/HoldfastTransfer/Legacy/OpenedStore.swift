public import Holdfast

/// An opened store, and the outcome of importing the legacy file beside it.
public struct OpenedStore: Sendable {
  /// The store: in its file, or in memory when the legacy file was not imported and there is no store yet.
  public let store: Store
  /// Whether the store may be written to, and how it is kept.
  public let access: LibraryAccess
  /// The report of the import; nil when nothing was imported.
  public let importReport: ImportReport?
  /// The reason why the legacy file was not imported; nil when there was none, or when it was imported.
  public let importFailure: StoreError?

  /// A store that was opened without a legacy file.
  public init(_ store: Store) { self.init(store, access: nil) }

  init(_ store: Store, access: LibraryAccess? = nil, importReport: ImportReport? = nil, importFailure: StoreError? = nil) {
    self.store = store
    self.access = access ?? LibraryAccess(store)
    self.importReport = importReport
    self.importFailure = importFailure
  }
}
