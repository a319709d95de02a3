public import Foundation
public import Holdfast
import HoldfastTransfer

extension MusicStore {
  /// Opens the library at `url`, and brings in the player's legacy file the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that
  /// fails and there is no store yet, people must be able to go on: the library is loaded from the legacy file as far as it
  /// can be read, lives in memory, and writes every change back to the file, in the player's own JSON, before the change
  /// counts; a change that cannot be written throws, and is taken back. `access` is `.legacy` with the reason. Before the
  /// first such write the file is kept as `<name>.backup`, and what could not be read of it goes along word for word, for
  /// the quarantine of a later import. What the player does not know stands beside its own fields, which it passes over: plays,
  /// ratings, dates, disc numbers; what a rescan finds out about files is not kept, and folders are refused. A file of a newer
  /// version, a database or another player's file is only read. When the import fails and there is a store, the store is opened
  /// and `importFailure` says why. The next opening tries again.
  ///
  /// - Parameter legacy: the player's file, or the bundle that it is in. Nil looks where the player kept it: in `MusicPlayer.library` in the
  ///   folder for music, then `MusicPlayer/MusicLibrary.json` in the folder of what supports applications.
  /// - Throws: what `open(at:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(at url: URL, legacy: URL?, options: StoreOptions = .production) throws -> MusicStore {
    let manager = FileManager.default
    func folder(_ kind: FileManager.SearchPathDirectory) -> URL? { manager.urls(for: kind, in: .userDomainMask).first }
    let legacy = legacyFile(
      at: legacy.map { [$0] } ?? legacyPlaces(music: folder(.musicDirectory), support: folder(.applicationSupportDirectory)))
    guard let legacy else { return try open(at: url, options: options) }
    return MusicStore(
      opened: try Store.open(
        at: url, legacy: legacy, reading: legacy, as: MusicJSON.self, schemas: [schema], options: options,
        recognised: { try recognised($0) }))
  }

  /// Where the player kept its library, the newer place first.
  package static func legacyPlaces(music: URL?, support: URL?) -> [URL] {
    [music?.appendingPathComponent("MusicPlayer.library"), support?.appendingPathComponent("MusicPlayer/MusicLibrary.json")].compactMap {
      $0
    }
  }

  /// The first of these files that is there, and otherwise the last. A bundle without a library is none.
  package static func legacyFile(at places: [URL]) -> URL? {
    let files = places.map { contents(ofBundle: $0).first ?? $0 }
    return files.first { url in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    } ?? files.last
  }

  /// The file that is meant by a source: of the player's bundle the one in it.
  ///
  /// - Throws: `.invalidSource` for a bundle with two.
  static func file(of source: URL) throws -> URL {
    let files = contents(ofBundle: source)
    guard files.count < 2 else {
      throw StoreError(
        .invalidSource, "\(source.path) holds library.json and library.db: the player has not moved all of the first into the second",
        suggestion: "Import the one in Contents/Resources, then the other: what both have comes in once.")
    }
    return files.first ?? source
  }

  /// The player renames `library.json` once its database has it all, so that is the one to go on with while it is there.
  private static func contents(ofBundle bundle: URL) -> [URL] {
    ["library.json", "library.db"].map { bundle.appendingPathComponent("Contents/Resources/\($0)") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
