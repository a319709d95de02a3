import Foundation
import HoldfastTesting

@testable import Holdfast

/// The files of a folder, in memory: a store that takes long to make is made once, and written to wherever a test needs one.
struct KeptFiles: Sendable {
  /// By path in the folder.
  private var contents: [String: Data] = [:]

  init(of folder: TemporaryFolder) throws {
    for name in try folder.contents() where !DurableFile.isFolder(folder.file(name).path) {
      contents[name] = try Data(contentsOf: folder.file(name))
    }
  }

  func write(to folder: TemporaryFolder) throws {
    for (name, content) in contents {
      let file = folder.file(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: file)
    }
  }
}

extension URL {
  /// Copies a store's file and its log, as a kill leaves them.
  func copyStore(to copy: URL, with suffixes: [String] = ["", "-wal"]) throws {
    for suffix in suffixes { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix) }
  }
}

extension Damage {
  /// Changes one bit: of the byte in the middle of the file, where no place is given.
  static func flip(_ file: URL, at place: Int? = nil) throws {
    var bytes = try Data(contentsOf: file)
    bytes[place ?? bytes.count / 2] ^= 1
    try bytes.write(to: file)
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
