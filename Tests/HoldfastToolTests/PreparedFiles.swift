import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

/// The files of a store that many tests begin with: it is made once, and then copied.
struct PreparedFiles: Sendable {
  /// The name of the folder in which it was made. All such names are of one length.
  let folder: String
  let files: [String: Data]

  /// The fixture library, as an import leaves it.
  static let library: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    let imported = try bench.run("import", bench.fixture("library.json"), "--into", bench.path("library.sqlite"))
    try #require(imported.status == 0, "\(imported.errors)")
    return try bench.prepared()
  }

  /// The same with an archive that has begun.
  static let archived: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    let begun = try bench.run("archive", "begin", bench.store())
    try #require(begun.status == 0, "\(begun.errors)")
    return try bench.prepared()
  }

  /// The fixture library with a snapshot, after which Moby Dick was deleted.
  static let snapshot: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: bench.store()), options: options)
    let made = try library.store.snapshot(label: "before the change")
    try #require(made.id == Workbench.snapshotID)
    _ = try library.store.write { try $0.execute("DELETE FROM collections WHERE title = 'Moby Dick'") }
    try library.store.close()
    return try bench.prepared()
  }
}

extension Workbench {
  /// A store with the fixture library in it.
  func store() throws -> String { try put(PreparedFiles.library.get(), "library.sqlite") }

  /// The same with an archive that has begun.
  func archived() throws -> String { try put(PreparedFiles.archived.get(), "library.sqlite") }

  /// A store whose snapshot of `Workbench.snapshotID` has two collections, and which has one now.
  func withSnapshot() throws -> String { try put(PreparedFiles.snapshot.get(), "library.sqlite") }

  static let snapshotID = "20251105T114122Z-1"

  /// Runs a statement in a store of audiobooks, as its app would.
  func change(_ store: String, options: StoreOptions = .production, _ sql: BoundSQL) throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store), options: options)
    _ = try library.store.write { try $0.execute(sql) }
    try library.store.close()
  }

  /// Makes a snapshot by hand. Returns its id.
  func snapshot(_ store: String, _ options: String...) throws -> String {
    let made = try run(["snapshot", "create", store, "--json"] + options, status: 0)
    return try #require((made.document["created"] as? [String: Any])?["id"] as? String)
  }

  /// A store of an app that this program does not know, in a file of the schema's name. Returns its path.
  func stranger(
    _ name: String, _ sql: String, records: [any StoredRecord.Type] = [], declarations: [SchemaDeclaration] = [],
    hiding hidden: Set<String> = []
  ) throws -> String {
    let schema = StoreSchema(
      name, migrations: [Migration("\(name)/001", sql: sql)], records: records, declarations: declarations, neverExported: hidden)
    try Store.open(at: url("\(name).sqlite"), schemas: [schema]).close()
    return path("\(name).sqlite")
  }

  /// The titles that `list` shows of a store of audiobooks.
  func titles(_ store: String) throws -> [String] {
    (try run("list", store, "--json").document["collections"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
  }

  /// Everything in the folder, to be put into others.
  func prepared() throws -> PreparedFiles { PreparedFiles(folder: folder.lastPathComponent, files: try content()) }

  /// Copies what was prepared into the folder, as if it had been made here. Returns the path of the store of this name.
  func put(_ prepared: PreparedFiles, _ store: String) throws -> String {
    // What is archived or in a snapshot has checksums.
    let renames = !prepared.files.keys.contains { $0.contains(".holdfast/") }
    for (name, content) in prepared.files {
      var content = content
      while renames, let place = content.range(of: Data(prepared.folder.utf8)) {
        content.replaceSubrange(place, with: Data(folder.lastPathComponent.utf8))
      }
      try FileManager.default.createDirectory(at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      let isWritten = FileManager.default.createFile(atPath: path(name), contents: content, attributes: [.posixPermissions: 0o600])
      try #require(isWritten, "\(name)")
    }
    return path(store)
  }
}
