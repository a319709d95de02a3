internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension StorePicture {
  /// What the migrations of a newer app make of the content, and how many notes they rewrite. In a file, because only opening one migrates.
  func migrated(from old: Int, to new: Int) throws -> (picture: StorePicture, rows: Int) {
    guard old < new else { return (self, 0) }
    let folder = try TemporaryFolder()
    func rewritten(_ store: Store) throws -> Int { try store.read { try $0.count("SELECT count(*) FROM items WHERE notes LIKE '%!'") } }
    let before = try Simulated.Device.connected(old, in: folder)
    try restore(into: before)
    let count = try rewritten(before)
    try before.close()
    let after = try folder.store([Simulated.schema(new)], options: Simulated.Device.options)
    let result = (picture: try StorePicture(of: after), rows: try rewritten(after) - count)
    try after.close()
    return result
  }
}

extension Simulated.Device {
  /// A new connected store in a file, for a picture.
  static func connected(_ version: Int, in folder: TemporaryFolder) throws -> Store {
    let store = try folder.store([Simulated.schema(version)], options: options)
    try SyncDevice.connect(store, space: Simulated.Server.space, node: 0)
    return store
  }

  /// These words, where they stand in the notes of items, and their stamps.
  func notes(with words: Set<String>) throws -> [String: Stamp] {
    let items = try store.read { reader in
      try reader.values("SELECT id, notes FROM items WHERE notes IS NOT NULL") { row in (id: try row.text(), notes: try row.text()) }
    }
    return try notes(of: items.filter { !words.isDisjoint(with: Self.words(in: $0.notes)) }.map { SyncRow.Name("items", $0.id) })
  }

  /// The words in the notes of rows, and their stamps.
  func notes(of names: [SyncRow.Name]) throws -> [String: Stamp] {
    try store.read { reader in
      try names.reduce(into: [:]) { notes, name in
        if let note = try sync.row(name, in: reader)?.note, let word = note.word { notes[word] = note.at }
      }
    }
  }
}

extension SyncRow {
  /// The notes of an item; without a word for another row.
  struct Note {
    let word: String?
    let isMigrated: Bool
    let at: Stamp
  }

  var note: Note {
    let text = current[ExactText("notes")]?.text ?? ""
    return Note(
      word: Simulated.Device.words(in: text).first, isMigrated: text.contains("!"), at: exceptions[ExactText("notes")]?.stamp ?? birth)
  }
}

extension Simulated.World {
  /// Whether notes that a migration has rewritten are older than an edit. A migrated value is as old as what a person wrote.
  func isOutdated(_ note: SyncRow.Note, by edit: SyncRow.Note) -> Bool {
    guard note.isMigrated, let word = note.word, word != edit.word, let old = written[word] else { return false }
    let new = edit.isMigrated ? edit.word.flatMap { written[$0] } ?? .zero : edit.at
    return min(new, edit.at) > old
  }
}
