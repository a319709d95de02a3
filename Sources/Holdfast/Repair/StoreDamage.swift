public import Foundation

/// Damage of a store's file that was found while the store was open.
public struct StoreDamage: Sendable, Equatable, Codable {
  /// How damage is found.
  public enum Source: String, Sendable, Codable, CaseIterable {
    /// SQLite met it in a read or write.
    case reading
    /// Pages differ from those that the archive has. SQLite may read them without an error.
    case pages
    /// SQLite's quick check of the whole file.
    case check
  }

  /// When it was found.
  public var foundAt: Date
  /// How it was found.
  public var source: Source
  /// One sentence for people.
  public var message: String
}

/// What is known about the soundness of a store's file: the file `health` in the store's folder. It holds no data of the app.
struct StoreHealth: StateFile {
  /// When the last look found nothing.
  var checkedAt: Date?
  /// What was found last; nil when that was healed or replaced, or a later look found nothing.
  var damage: StoreDamage?

  static func file(_ files: StoreFiles) -> URL { files.folder.appendingPathComponent("health") }
}
