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
  /// - Throws: what `open(at:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(at url: URL, legacy: URL, options: StoreOptions = .production) throws -> MusicStore {
    MusicStore(
      opened: try Store.open(
        at: url, legacy: legacy, reading: legacy, as: MusicJSON.self, schemas: [schema], options: options,
        recognised: { try recognised($0) }))
  }
}
