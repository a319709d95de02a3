import Foundation
import Holdfast

/// A source with its log and journal: some rows may be only in the log, and a journal undoes an unfinished transaction. All are copied,
/// compared and moved together.
struct SourceFiles {
  let url: URL
  /// The suffixes of logs and journals with content.
  private let suffixes: [String]

  /// Follows a link, because the content is copied.
  init(_ url: URL) {
    let url = url.resolvingSymlinksInPath()
    self.url = url
    suffixes = SQLiteSource.isDatabase(url) ? StoreFiles.logs.filter { DurableFile.size(url.path + $0) > 0 } : []
  }

  /// Says that newer rows may be in a log beside another name of the database; nil where there is no other name, or a log is here.
  var otherNames: String? {
    guard SQLiteSource.isDatabase(url), suffixes.isEmpty else { return nil }
    return (try? StoreFiles(url))?.otherNames
  }

  /// The hash of the file; with logs, a hash of all hashes.
  func sha256() throws -> String { try sha256 { try SHA256Hex.ofFile(at: beside($0)) } }

  private func sha256(_ ofFile: (_ suffix: String) throws -> String) throws -> String {
    let hash = try ofFile("")
    guard !suffixes.isEmpty else { return hash }
    return SHA256Hex.of(try suffixes.reduce(hash) { try "\($0)\n\($1) \(ofFile($1))" })
  }

  var bytes: Int64 {
    suffixes.reduce(DurableFile.size(url.path)) { $0 &+ DurableFile.size(url.path + $1) }
  }

  /// The latest time of these files, in milliseconds since 1970.
  var modifiedAt: Int64? {
    ([""] + suffixes).compactMap { suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
      return (attributes?[.modificationDate] as? Date).flatMap(DateCodec.milliseconds)
    }.max()
  }

  /// Copies all files to new names. Returns the hash of the bytes that were copied, without a reading of its own.
  func copy(to target: URL) throws -> String {
    try sha256 { suffix in
      var sum = SHA256Sum()
      try DurableFile.copy(beside(suffix), to: URL(fileURLWithPath: target.path + suffix)) { sum.add($0) }
      return sum.hex
    }
  }

  /// Renames all files to `target`, replacing what is there. SQLite would replay a log into any file beside it. So an old log is removed
  /// first, and the new log comes last. Where there is no file yet, the file comes last: with it the source looks complete.
  func move(to target: URL) throws {
    let replaces = FileManager.default.fileExists(atPath: target.path)
    if replaces, SQLiteSource.isDatabase(target) {
      for suffix in StoreFiles.sidecars { try DurableFile.remove(URL(fileURLWithPath: target.path + suffix)) }
    }
    for suffix in replaces ? [""] + suffixes : suffixes + [""] {
      try DurableFile.move(beside(suffix), over: URL(fileURLWithPath: target.path + suffix))
    }
  }

  private func beside(_ suffix: String) -> URL { URL(fileURLWithPath: url.path + suffix) }
}
