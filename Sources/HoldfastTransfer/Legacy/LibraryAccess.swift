package import Holdfast

/// What a library allows, and why not more.
public enum LibraryAccess: Sendable, Equatable {
  case readWrite
  case readOnly(reason: String)
  /// The store cannot be used; the library lives in memory, was loaded from the legacy file, and writes its changes back
  /// to it. `reason` says why, for a person.
  case legacy(reason: String)

  /// What a store allows.
  package init(_ store: Store) {
    self =
      switch store.access {
      case .readWrite: .readWrite
      case .readOnly(let reason): .readOnly(reason: reason)
      }
  }
}
