import Foundation

/// A generated library on disk, and the values it was made from.
struct DataSet {
  static let databaseName = "library.sqlite"
  static let jsonName = "library.json"

  enum Kind: Hashable {
    /// 100 collections of 1,000 tracks.
    case large(Age)
    /// 100 collections of 10 tracks.
    case small
    /// The tables, without a row.
    case empty
  }

  var folder: String
  var seed: SeedLibrary
  var kind: Kind
}

/// Makes data sets when they are first asked for and keeps them until the end of the run.
final class DataSets {
  private let root: String
  private var made: [DataSet.Kind: DataSet] = [:]
  private var copies = 0

  /// Makes a folder of its own in the temporary folder.
  init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-benchmarks-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(atPath: root) }

  func newFolder() throws -> String {
    copies += 1
    let folder = "\(root)/copy-\(copies)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  func dataSet(_ kind: DataSet.Kind) throws -> DataSet {
    if let found = made[kind] { return found }
    let seed = Self.seed(kind)
    let dataSet = DataSet(folder: try newFolder(), seed: seed, kind: kind)
    let database = dataSet.folder + "/" + DataSet.databaseName
    try makeEmptyDatabase(database)
    let store = try CStore(path: database, durability: .fast)
    try store.insert(seed)
    store.close()
    // Ids make no difference to the JSON file.
    if kind != .large(.aged) { try writeLegacyLibrary(seed, to: dataSet.folder + "/" + DataSet.jsonName) }
    made[kind] = dataSet
    return dataSet
  }

  /// A copy of one file of the data set in a folder of its own, already on the disk.
  func copy(_ kind: DataSet.Kind, file: String) throws -> String {
    let source = try dataSet(kind)
    let folder = try newFolder()
    try FileManager.default.copyItem(atPath: source.folder + "/" + file, toPath: folder + "/" + file)
    // Otherwise the kernel writes the copy back while somebody is being timed.
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder + "/" + file))
    try handle.synchronize()
    try handle.close()
    return folder
  }

  /// A version 3 `library.json` with `collections` collections of 1,000 tracks; its path.
  func legacyFile(collections: Int) throws -> String {
    if collections == 100 { return try dataSet(.large(.new)).folder + "/" + DataSet.jsonName }
    var maker = SeedMaker(age: .new)
    let file = try newFolder() + "/" + DataSet.jsonName
    try writeLegacyLibrary(maker.library(collections: collections, tracksEach: 1000), to: file)
    return file
  }

  private static func seed(_ kind: DataSet.Kind) -> SeedLibrary {
    switch kind {
    case .large(let age):
      var maker = SeedMaker(age: age)
      return maker.library(collections: 100, tracksEach: 1000)
    case .small:
      var maker = SeedMaker(age: .new)
      return maker.library(collections: 100, tracksEach: 10)
    case .empty: return SeedLibrary()
    }
  }

  /// Collection by collection: encoding half a million tracks at once would need gigabytes.
  private func writeLegacyLibrary(_ seed: SeedLibrary, to path: String) throws {
    let encoder = LegacyLibrary.encoder
    var text = Data("{\n  \"collections\" : [\n".utf8)
    for (place, collection) in seed.collections.enumerated() {
      if place > 0 { text.append(Data(",\n".utf8)) }
      text.append(try encoder.encode(LegacyCollection(collection)))
    }
    text.append(Data("\n  ],\n  \"schemaVersion\" : 3\n}\n".utf8))
    try text.write(to: URL(fileURLWithPath: path))
  }
}
