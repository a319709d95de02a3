import Foundation
import HoldfastTesting

@testable import Holdfast

/// The files of a folder, in memory: a store that takes long to make is made once, and written to wherever a test needs one.
struct KeptFiles: Sendable {
  /// By path in the folder.
  private let contents: [String: Data]

  init(of folder: TemporaryFolder) throws { contents = try folder.files() }

  func write(to folder: TemporaryFolder) throws {
    for (name, content) in contents {
      let file = folder.file(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
  }
}

extension TemporaryFolder {
  /// Every file with its bytes.
  func files() throws -> [String: Data] {
    let names = try contents().filter { !DurableFile.isFolder(file($0).path) }
    return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
  }

  /// The files that hold this text, by name.
  func files(containing text: String) throws -> [String] {
    try files().filter { $0.value.range(of: Data(text.utf8)) != nil }.keys.sorted()
  }
}

extension URL {
  /// Copies a store's file and its log, as a kill leaves them.
  func copyStore(to copy: URL, with suffixes: [String] = ["", "-wal"]) throws {
    for suffix in suffixes { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix) }
  }
}

extension Damage {
  /// Makes a file longer, with a hole, which takes no room itself, or shorter.
  static func resize(_ file: URL, to length: UInt64) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: length)
    try handle.close()
  }

  /// Changes one bit: of the byte in the middle of the file, where no place is given.
  static func flip(_ file: URL, at place: Int? = nil) throws {
    var bytes = try Data(contentsOf: file)
    bytes[place ?? bytes.count / 2] ^= 1
    try bytes.write(to: file)
  }
}

extension StoreSchema {
  /// A schema with one migration.
  init(_ name: String, sql: String, declarations: [SchemaDeclaration] = []) {
    self.init(name, migrations: [Migration("\(name)/001", sql: sql)], declarations: declarations)
  }
}

extension StoreOptions {
  /// For a look that changes nothing.
  static var looking: StoreOptions {
    var options = StoreOptions.testing
    options.opensReadOnly = true
    return options
  }
}
