import Foundation

/// The rows that a salvage sets aside, one JSON object each: lines of a file, or for an encrypted store `set_aside.row` of a database.
final class SetAsideRows {
  private let file: URL
  private let target: URL
  private let lines: FileHandle?
  private let database: RawConnection?
  private(set) var isEmpty = true
  private var isAlone = false

  /// - Parameter url: the new store; the rows come to stand beside it.
  /// - Throws: `.cannotCreate` when something stands there.
  init(beside url: URL, in folder: WorkingFolder, _ key: StoreKey?) throws {
    target = URL(fileURLWithPath: "\(url.path).set-aside.\(key == nil ? "jsonl" : "sqlite")")
    file = folder.file(target.lastPathComponent)
    try DurableFile.checkIsFree(target.path)
    guard key == nil else {
      (lines, database) = (nil, try ConnectionFactory(file.path, .production(key)).working())
      for sql in ["PRAGMA journal_mode = MEMORY", "CREATE TABLE set_aside (row TEXT NOT NULL)", "BEGIN"] { try database?.run(sql) }
      return
    }
    _ = try DurableFile.create(file.path)
    // Written without SQLite: rows that a salvage sets aside, under a working name.
    (lines, database) = (try FileHandle(forWritingTo: file), nil)
  }

  /// Where the rows will be; nil when there are none.
  var place: URL? { isEmpty ? nil : target }

  func add(_ line: String) throws {
    isEmpty = false
    try DurableFile.naming(file) { try lines?.write(contentsOf: Data((line + "\n").utf8)) }
    try database?.rows("INSERT INTO set_aside VALUES (\(line))") { _ in }
  }

  func finish() throws {
    try database?.run("COMMIT")
    try DurableFile.naming(file) {
      try lines?.synchronize()
      try lines?.close()
    }
    guard !isEmpty else { return }
    try DurableFile.flush(file)
    try DurableFile.place(file, at: target)
    isAlone = true
  }

  /// The store is there, too.
  func belongs() { isAlone = false }

  /// Removes the rows where their store was not made.
  func end() { if isAlone { _ = try? DurableFile.remove(target) } }
}
