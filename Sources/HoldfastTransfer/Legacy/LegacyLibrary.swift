public import Holdfast

/// A library that can open beside the file in which its app kept the data before.
public protocol LegacyLibrary: Library {
  /// The library's store, and the outcome of importing the legacy file.
  var opened: OpenedStore { get }
}

extension LegacyLibrary {
  /// Whether the library can be changed, and if not, why; a screen can show the reason.
  public var access: LibraryAccess { opened.access }
  /// The report of the import at opening; nil when nothing was imported.
  public var importReport: ImportReport? { opened.importReport }
  /// Why the legacy file could not be imported at opening; nil when there was no such file, or when it was imported.
  public var importFailure: StoreError? { opened.importFailure }
}
