import Foundation
import Holdfast

/// A source with what SQLite keeps beside a database: rows may stand only in the log, and a journal undoes what a crash
/// left half done. Copied, compared and put back together, or not at all.
struct SourceFiles {
  let url: URL
  /// Of the files that are there and hold something.
  private let suffixes: [String]

  /// A link is followed: what is copied is the content.
  init(_ url: URL) {
    let url = url.resolvingSymlinksInPath()
    self.url = url
    suffixes = Self.isDatabase(url) ? StoreFiles.logs.filter { DurableFile.size(url.path + $0) > 0 } : []
  }

  /// By the first bytes; false for a file that cannot be read. Read through SQLite: the app may have the database open.
  static func isDatabase(_ url: URL) -> Bool {
    (try? FileBytes(url).read(16)) == Data("SQLite format 3\0".utf8)
  }

  /// Of the file; where there are logs, of the hashes of all.
  func sha256() throws -> String {
    let hash = try SHA256Hex.ofFile(at: url)
    guard !suffixes.isEmpty else { return hash }
    return SHA256Hex.of(try suffixes.reduce(hash) { try "\($0)\n\($1) \(SHA256Hex.ofFile(at: beside($1)))" })
  }

  var bytes: Int64 {
    suffixes.reduce(DurableFile.size(url.path)) { $0 &+ DurableFile.size(url.path + $1) }
  }

  /// The latest time of any, in milliseconds since 1970.
  var modifiedAt: Int64? {
    ([""] + suffixes).compactMap { suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
      return (attributes?[.modificationDate] as? Date).flatMap(DateCodec.milliseconds)
    }.max()
  }

  /// Copies all to names that are not taken.
  func copy(to target: URL) throws {
    for suffix in [""] + suffixes {
      try DurableFile.copy(beside(suffix), to: URL(fileURLWithPath: target.path + suffix))
    }
  }

  /// Renames all over what stands at `target`. A log beside another file would be read into it, so the old one goes first,
  /// and the new one comes last; where there is no file yet, that comes last, because with it the whole looks complete.
  func move(to target: URL) throws {
    let replaces = FileManager.default.fileExists(atPath: target.path)
    if replaces, Self.isDatabase(target) {
      for suffix in StoreFiles.sidecars { try DurableFile.remove(URL(fileURLWithPath: target.path + suffix)) }
    }
    for suffix in replaces ? [""] + suffixes : suffixes + [""] {
      try DurableFile.move(beside(suffix), over: URL(fileURLWithPath: target.path + suffix))
    }
  }

  static func remove(_ url: URL) {
    for suffix in [""] + StoreFiles.logs { _ = try? DurableFile.remove(URL(fileURLWithPath: url.path + suffix)) }
  }

  private func beside(_ suffix: String) -> URL { URL(fileURLWithPath: url.path + suffix) }
}
