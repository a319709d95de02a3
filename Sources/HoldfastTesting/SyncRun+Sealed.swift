internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer

extension SyncRun {
  /// A text that no library writes.
  static let mark = "Zaubermarke"

  /// Whether the server could read a text of the rows. One as short as the name of a table proves nothing.
  func checkSealed() throws {
    let texts = try devices.flatMap { device in
      try device.store.read { reader in try tables.flatMap { try $0.travelling(in: reader).joined() } }
    }.compactMap { if case .text(let text) = $0, text.utf8.count > 16 { text } else { nil } }
    let held = try held()
    for text in Set(texts) where held.range(of: Data(text.utf8)) != nil { throw Self.failed("the server can read \"\(text)\"") }
  }

  /// The same of a mark in each text column of a row of each table, also with the bodies of requests and answers, and the server's log.
  ///
  /// What refuses most texts is switched off from then on: no library has to be able to read such rows.
  func checkMarks() throws {
    let device = devices[0]
    time.now += 1_000
    try setTime(of: device)
    try device.store.write { tx in
      try tx.execute("PRAGMA ignore_check_constraints = ON")
      try tx.execute("PRAGMA defer_foreign_keys = ON")
      for table in tables { try table.insertMarked(Self.mark, tx) }
    }
    let columns = try device.store.read { reader in try tables.map { try $0.marks(Self.mark, in: reader) } }
    for (table, counts) in zip(tables, columns) where counts.found < counts.of {
      throw Self.failed("\(table.synced.name) has the mark in \(counts.found) of \(counts.of) text columns")
    }
    recorded = []
    try exchange(device)
    let bodies = recorded ?? []
    recorded = nil
    // A body has a line for each row, behind its head.
    let rows = bodies.map { $0.count { $0 == UInt8(ascii: "\n") } }.max() ?? 0
    guard device.sync.status.pending == 0, rows >= tables.count(where: { !$0.first.isEmpty }) else {
      throw Self.failed("the marks were not sent: \(device.sync.status.pending) wait")
    }
    for (place, bytes) in [("store", try held()), ("traffic", Data(bodies.joined())), ("log", Data(log.all.joined().utf8))]
    where bytes.range(of: Data(Self.mark.utf8)) != nil {
      throw Self.failed("the server's \(place) shows the text of a row")
    }
  }

  private func held() throws -> Data {
    guard let url = server.store.url else { return Data() }
    return try Data(["", "-wal"].map { URL(fileURLWithPath: url.path + $0) }.map { try Data(contentsOf: $0) }.joined())
  }
}

extension SyncedRows {
  /// Inserts a copy of a row with this text in each of its text columns that travel, its key among them.
  func insertMarked(_ mark: String, _ tx: Writer) throws {
    guard var row = first.first else { return }
    for column in texts { row[column] = .text(mark) }
    for column in synced.derived { if case .text? = row[column] { row[column] = .text(mark) } }
    // A key without a text is another one.
    for column in synced.key where !texts.contains(column) && parents[column] == nil {
      if case .blob(let blob)? = row[column] { row[column] = .blob(blob + [0]) } else { row[column] = .integer(987_654_321) }
    }
    try insertAsIs(row, tx)
  }

  /// How many of the text columns that travel have the mark in some row.
  func marks(_ mark: String, in reader: Reader) throws -> (found: Int, of: Int) {
    let found = try texts.filter { column in
      try reader.count("SELECT count(*) FROM \(sql: .names([synced.name])) WHERE \(sql: .names([column])) = \(mark)") > 0
    }
    return (found.count, texts.count)
  }
}
