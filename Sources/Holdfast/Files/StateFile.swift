import Foundation

/// What is known about a store beside its data: a small file of JSON, with times in milliseconds. Without the file, nothing is known.
protocol StateFile: Codable, Equatable {
  static func file(_ files: StoreFiles) -> URL
  init()
}

extension StateFile {
  init(_ files: StoreFiles) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let content = try? DurableFile.content(of: Self.file(files))
    self = content.flatMap { try? decoder.decode(Self.self, from: $0) } ?? Self()
  }

  /// Changes the file.
  static func change(_ files: StoreFiles, _ body: (inout Self) -> Void) throws {
    let before = Self(files)
    var state = before
    body(&state)
    guard state != before else { return }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    let url = Self.file(files)
    try DurableFile.naming(url) {
      // Only the store's own folder: a new one of the snapshots could hide that their volume is missing.
      if url.deletingLastPathComponent().path == files.folder.path { try DurableFile.makeFolder(files.folder) }
      try DurableFile.replace(url, with: encoder.encode(state))
    }
  }
}
