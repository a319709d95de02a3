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

/// What is known about the soundness of a store's file: the file `health` in the store's folder, in JSON. Without it, nothing is known.
struct StoreHealth: Codable, Equatable {
  /// When the last look found nothing.
  var checkedAt: Date?
  /// What was found last; nil when that was healed or replaced, or a later look found nothing.
  var damage: StoreDamage?

  private static func file(_ files: StoreFiles) -> URL { files.folder.appendingPathComponent("health") }

  init() {}

  init(_ files: StoreFiles) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    // Read without SQLite: the JSON of what is known about a store's soundness.
    guard let content = try? DurableFile.content(of: Self.file(files)), let health = try? decoder.decode(Self.self, from: content) else {
      return
    }
    self = health
  }

  /// Changes the file. On a full disk it stays: it holds no data of the app.
  static func change(_ files: StoreFiles, _ body: (inout StoreHealth) -> Void) {
    let before = StoreHealth(files)
    var health = before
    body(&health)
    guard health != before else { return }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    do {
      try DurableFile.makeFolder(files.folder)
      try DurableFile.replace(file(files), with: encoder.encode(health))
    } catch {}
  }
}
