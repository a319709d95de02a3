import Holdfast
import HoldfastSync

extension SyncRow {
  /// A living row of `books`, with values as JSON. Times are milliseconds since 1970.
  static func book(
    _ key: String, generation: Int64 = 1, at time: Int64 = 1, _ values: [String: String] = [:], later: [String: (Int64, [String])] = [:]
  ) -> SyncRow {
    SyncRow(
      Name("books", key), generation: generation, birth: .at(time),
      values: RowValues(values.map { (ExactText($0), ExactText($1)) }),
      exceptions: Dictionary(uniqueKeysWithValues: later.map { (ExactText($0), Exception(.at($1.0), $1.1.map { ExactText($0) })) }))
  }

  /// A living row of a table, with its key as `id`, and texts as values. Times are milliseconds since 1970.
  ///
  /// - Parameter later: by column, what was written after the row was inserted.
  static func texts(
    _ table: String, _ key: String, generation: Int64 = 1, at time: Int64 = 1, _ values: [String: String] = [:],
    later: [String: (Int64, String)] = [:]
  ) -> SyncRow {
    func text(_ text: String) -> ExactText { SyncValue.text(of: .text(text)) }
    return SyncRow(
      Name(table, key), generation: generation, birth: .at(time),
      values: RowValues(values.merging(["id": key]) { $1 }.map { (ExactText($0), text($1)) }),
      exceptions: Dictionary(uniqueKeysWithValues: later.map { (ExactText($0), Exception(.at($1.0), [text($1.1)])) }))
  }

  /// A living row of `SyncedNotes`, without a body.
  static func note(
    _ key: String, _ title: String = "old", generation: Int64 = 1, at time: Int64 = 1, later: [String: (Int64, String)] = [:]
  ) -> SyncRow {
    texts("notes", key, generation: generation, at: time, ["title": title, "body": ""], later: later)
  }

  /// A row with a slug. Two with one slug cannot stand together.
  ///
  /// - Parameter renamed: the slug that it got later.
  static func item(_ key: String, at time: Int64, slug: String, renamed: String? = nil) -> SyncRow {
    texts("items", key, at: time, ["slug": slug], later: renamed.map { ["slug": (Int64(9), $0)] } ?? [:])
  }

  /// A row of a table after it was deleted.
  static func deleted(_ table: String, _ key: String) -> SyncRow { SyncRow(Name(table, key), generation: 2) }

  /// The row of `books` after it was deleted.
  static func deletedBook(_ key: String, generation: Int64 = 2, forgets: Bool = false) -> SyncRow {
    SyncRow(Name("books", key), generation: generation, forgets: forgets)
  }
}

extension Stamp {
  /// The stamp of node 0 at so many milliseconds since 1970.
  static func at(_ milliseconds: Int64) -> Stamp { Stamp(time: milliseconds << counterBits, node: 0) }
}
