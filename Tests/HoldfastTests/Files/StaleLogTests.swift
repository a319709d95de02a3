import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A log beside a file that was copied back by hand", .timeLimit(.minutes(10)))
struct StaleLogTests {
  /// The program that wrote the log. Only an app's log has a mark.
  enum Writer: CaseIterable { case app, otherProgram }
  /// The file that was put beside it.
  enum Copy: CaseIterable { case older, newer }

  /// The log that a killed process left, and a file of another time beside it.
  private struct World {
    let folder: TemporaryFolder
    let url: URL
    let log: Data
    let titles: [String]
    let bytes: Data

    /// The log, the file, and its titles; made once.
    private static let made: Result<[[(log: Data, bytes: Data, titles: [String])]], any Error> = Result {
      try Writer.allCases.map { writer in try Copy.allCases.map { copy in try World.make(writer, copy) } }
    }

    init(_ writer: Writer, _ copy: Copy) throws {
      folder = try TemporaryFolder()
      url = folder.file("store.sqlite")
      (log, bytes, titles) = try Self.made.get()[writer == .app ? 0 : 1][copy == .older ? 0 : 1]
      try log.write(to: URL(fileURLWithPath: url.path + "-wal"))
      try bytes.write(to: url)
    }

    private static func make(_ writer: Writer, _ copy: Copy) throws -> (log: Data, bytes: Data, titles: [String]) {
      let living = try TemporaryFolder()
      let file = living.file("store.sqlite")
      var store = try living.store([Shelves.schema])
      for shelf in 1...20 { try store.fill(books: 50, shelf: shelf) }
      try store.close()
      var copied = try Data(contentsOf: file)
      // The copied state ends here. The app goes on.
      store = try living.store([Shelves.schema])
      for shelf in 21...28 { try store.fill(books: 50, shelf: shelf) }
      try store.close()
      let log: Data
      switch writer {
      case .app:
        store = try living.store([Shelves.schema])
        try store.write { tx in for sql in Self.later { _ = try tx.execute("\(raw: sql)") } }
        log = try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))
        try store.close()
      case .otherProgram:
        log = try RawDatabase.with(file) { raw in
          for sql in Self.later { try raw.execute(sql) }
          return try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))
        }
      }
      if copy == .newer {
        try RawDatabase.with(file) { raw in
          try raw.execute("DELETE FROM books WHERE rowid % 5 = 1; UPDATE books SET added_at = added_at + 7, title = title || ' new'")
        }
        copied = try Data(contentsOf: file)
      }
      let alone = try TemporaryFolder()
      try copied.write(to: alone.file("store.sqlite"))
      store = try alone.store([Shelves.schema])
      defer { try? store.close() }
      return (log, copied, try store.titles())
    }

    private static let later = [
      "UPDATE books SET added_at = added_at + 1 WHERE rowid % 3 = 0", "DELETE FROM books WHERE rowid % 7 = 2",
      "UPDATE books SET title = title || ' later' WHERE rowid % 2 = 0",
    ]
  }

  @Test("check says that the log does not belong to the file, and nothing against the file", arguments: Writer.allCases, Copy.allCases)
  func checked(_ writer: Writer, _ copy: Copy) throws {
    let world = try World(writer, copy)
    let report = try Store.check(at: world.url, schemas: [Shelves.schema], options: .testing)
    #expect(report.findings.map(\.part) == [.files], "\(report.findings.prefix(3))")
    #expect(report.findings.first?.message.contains("does not belong to it") == true)
    #expect(try Data(contentsOf: world.url) == world.bytes)
    #expect(try Data(contentsOf: URL(fileURLWithPath: world.url.path + "-wal")) == world.log)
  }

  @Test("opening keeps the log aside and says so; the file has what was copied", arguments: Writer.allCases, Copy.allCases)
  func opened(_ writer: Writer, _ copy: Copy) throws {
    let world = try World(writer, copy)
    let store = try world.folder.store([Shelves.schema])
    let notice = try #require(store.notices.first)
    #expect(notice.kind == .foreignLog)
    #expect(try Data(contentsOf: #require(notice.kept).appendingPathComponent("store.sqlite-wal")) == world.log)
    #expect(try store.titles() == world.titles)
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("heal mixes no two times: it says so, and leaves file and log as they are", arguments: Writer.allCases, Copy.allCases)
  func healed(_ writer: Writer, _ copy: Copy) throws {
    let world = try World(writer, copy)
    let report = try Store.heal(at: world.url, schemas: [Shelves.schema], options: .testing)
    #expect(report.means == .none && report.damage == [])
    #expect(report.notes.contains { $0.contains("does not belong to it") }, "\(report.notes)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: world.url.path + "-wal")) == world.log)
    #expect(try Data(contentsOf: world.url) == world.bytes)
  }

  @Test("salvage reads the rows of the file alone", arguments: Writer.allCases, Copy.allCases)
  func salvaged(_ writer: Writer, _ copy: Copy) throws {
    let world = try World(writer, copy)
    let new = world.folder.file("new.sqlite")
    let report = try Store.salvage(world.url, to: new, schemas: [Shelves.schema], options: .testing)
    #expect(report.findings.contains { $0.contains("does not belong to it") })
    #expect(report.tables.map(\.setAside).allSatisfy { $0 == 0 })
    #expect(try Store.open(at: new, schemas: [Shelves.schema], options: .testing).titles() == world.titles)
  }

  @Test("the log of a killed process stays the file's own, also where all or some of it is in the file already", arguments: [true, false])
  func own(isWhole: Bool) throws {
    let living = try TemporaryFolder()
    let store = try living.store([Shelves.schema])
    for shelf in 1...20 { try store.fill(books: 50, shelf: shelf) }
    try store.checkpoint(.passive)
    if !isWhole { try store.fill(shelf: 21) }
    let killed = try TemporaryFolder()
    try living.file("store.sqlite").copyStore(to: killed.file("store.sqlite"), with: ["-wal", ""])
    #expect(try Store.check(at: killed.file("store.sqlite"), schemas: [Shelves.schema], options: .testing).findings == [])
    let opened = try killed.store([Shelves.schema])
    #expect(opened.notices == [])
    #expect(try opened.titles() == store.titles())
  }
}
