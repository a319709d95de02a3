import Holdfast

/// Whether a library may be written to, and how it is kept.
public enum LibraryAccess: Sendable, Equatable {
  case readWrite
  case readOnly(reason: String)
  /// The store cannot be used. The library is in memory, was loaded from the legacy file, and writes its changes to that file. `reason` is
  /// written for people.
  case legacy(reason: String)

  init(_ store: Store) {
    self =
      switch store.access {
      case .readWrite: .readWrite
      case .readOnly(let reason): .readOnly(reason: reason)
      }
  }
}
