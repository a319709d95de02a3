public import Foundation
public import Holdfast
public import HoldfastTransfer

extension MusicStore {
  /// Opens the library at `url`, and imports the player's legacy file once.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` has the result.
  ///
  /// If the import fails and there is no store yet, the library opens in legacy mode, and `access` is `.legacy` with the reason. It is
  /// loaded from the legacy file as far as possible and lives in memory. Every change is first written to the legacy file in the player's
  /// JSON; if that write fails, the change throws and is undone. Before the first such write the legacy file is copied to
  /// `<name>.backup`. Records that could not be read stay in the file word for word, for the quarantine of a later import. Plays,
  /// ratings, dates and disc numbers are written beside the player's own fields, and the player ignores them. Results of a rescan are not
  /// kept, and folders are refused. A file of a newer version, a database or another player's file is only read.
  ///
  /// If the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again.
  ///
  /// For `progress` and errors see `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
  /// - Parameter legacy: the player's file, or its bundle. Nil looks where the player kept its library: in `MusicPlayer.library` in the
  ///   music folder, then `MusicPlayer/MusicLibrary.json` in the application support folder.
  public static func open(
    at url: URL, legacy: URL?, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> MusicStore {
    let manager = FileManager.default
    func folder(_ kind: FileManager.SearchPathDirectory) -> URL? { manager.urls(for: kind, in: .userDomainMask).first }
    let legacy = legacyFile(
      at: legacy.map { [$0] } ?? legacyPlaces(music: folder(.musicDirectory), support: folder(.applicationSupportDirectory)))
    guard let legacy else { return try open(at: url, options: options) }
    return MusicStore(
      opened: try Store.open(
        at: url, legacy: legacy, as: MusicJSON.self, schemas: [schema], options: options, progress: progress,
        importer: { try importer(for: $0) }))
  }

  /// The places where the player kept its library, the newer place first.
  static func legacyPlaces(music: URL?, support: URL?) -> [URL] {
    [music?.appendingPathComponent("MusicPlayer.library"), support?.appendingPathComponent("MusicPlayer/MusicLibrary.json")].compactMap {
      $0
    }
  }

  /// The first of these files that exists, otherwise the last. A bundle without a library does not count.
  static func legacyFile(at places: [URL]) -> URL? {
    let files = places.map { contents(ofBundle: $0).first ?? $0 }
    return files.first { url in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    } ?? files.last
  }

  /// The file to import: for the player's bundle, the file inside it.
  ///
  /// - Throws: `.invalidSource` for a bundle with two libraries.
  public static func file(of source: URL) throws -> URL {
    let files = contents(ofBundle: source)
    guard files.count < 2 else {
      throw StoreError(
        .invalidSource, "\(source.path) holds library.json and library.db: the player has not moved all of the first into the second",
        suggestion: "Import the one in Contents/Resources, then the other: what both have comes in once.")
    }
    return files.first ?? source
  }

  /// The player renames `library.json` after moving all of it into the database, so while the file exists, it is the player's library.
  private static func contents(ofBundle bundle: URL) -> [URL] {
    ["library.json", "library.db"].map { bundle.appendingPathComponent("Contents/Resources/\($0)") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
