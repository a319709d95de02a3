import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Errors")
struct ErrorCodeTests {
  @Test("every code has a stable name, and all but a cancellation a suggestion that can be shown as it is")
  func suggestions() {
    for code in StoreError.Code.allCases {
      let error = StoreError(code, "what happened")
      #expect(error.localizedDescription == "what happened")
      #expect(error.description == "\(code.rawValue): what happened")
      #expect((error.recoverySuggestion != nil) == (code != .cancelled), "\(code)")
      #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "_" })
    }
    #expect(StoreError(.busy, "m", suggestion: "Wait.").recoverySuggestion == "Wait.")
    #expect(Set(StoreError.Code.allCases.map(\.rawValue)).count == StoreError.Code.allCases.count)
  }

  @Test("each result code of SQLite that a store can meet becomes the code that says what to do")
  func sqliteCodes() {
    // The numbers are those of sqlite3.h.
    let codes: [(Int32, StoreError.Code)] = [
      (5, .busy), (6, .busy), (261, .busy), (13, .diskFull), (11, .damaged), (267, .damaged), (26, .notADatabase),
      (8, .readOnly), (3, .permissionDenied), (19, .constraint), (9, .cancelled), (20, .invalidValue), (25, .invalidValue),
      (18, .invalidValue), (10, .inputOutput), (266, .inputOutput), (1, .misuse), (21, .misuse),
      (7, .outOfMemory), (3082, .outOfMemory), (4, .rolledBack), (15, .busy), (17, .busy),
    ]
    for (number, code) in codes {
      let error = StoreError(sqliteCode: number, message: "said SQLite", path: "/a/file")
      #expect(error.code == code, "\(number)")
      #expect(error.message == "/a/file: said SQLite")
    }
  }

  @Test("an error has the code of its own call, also where an earlier call failed with another one")
  func ownCode() throws {
    let connection = try ConnectionFactory.probe()
    #expect(failure { try connection.run("SELECT * FROM nothing") }?.code == .misuse)
    #expect(StoreError(sqlite: connection.handle, 10).code == .inputOutput)
  }

  @Test("a file that SQLite cannot open may not be read, or cannot be made")
  func cannotOpen() {
    #expect(StoreError(sqliteCode: 14, message: "unable to open", systemCode: EACCES).code == .permissionDenied)
    #expect(StoreError(sqliteCode: 14, message: "unable to open", systemCode: ENOENT).code == .cannotCreate)
  }

  @Test("errors of others keep their cause")
  func others() {
    struct Odd: Error {}
    #expect(StoreError(CancellationError()).code == .cancelled)
    let odd = StoreError(Odd())
    #expect(odd.code == .misuse)
    #expect(odd.cause is Odd)
    #expect(odd.failureReason == "Odd()")
    #expect(StoreError(StoreError(.busy, "as it is")).message == "as it is")
  }

  @Test("a file's error of Foundation or the system is no misuse, wherever it comes from")
  func files() {
    let flush = CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(.EIO)])
    #expect(StoreError(flush).code == .inputOutput)
    #expect(StoreError(flush).message == String(cString: strerror(EIO)))
    #expect(StoreError(POSIXError(.ENOSPC)).code == .diskFull)
    #expect(StoreError(CocoaError(.fileWriteNoPermission)).code == .permissionDenied)
    #expect(StoreError(CocoaError(.coderReadCorrupt)).code == .misuse, "an error of the app's own decoding")
  }

  @Test("an error whose message says closed keeps its code while the store is open")
  func saysClosed() throws {
    let store = try Shelves.temporary()
    try store.write { tx in
      _ = try tx.execute("CREATE TRIGGER hours BEFORE INSERT ON shelves BEGIN SELECT raise(ABORT, 'the shop is closed'); END")
    }
    let refused = failure { try store.write { tx in try tx.insert(Shelf("late")) } }
    #expect(refused?.code == .constraint && refused?.message.contains("the shop is closed") == true)
    let missing = failure { try store.count("closed") }
    #expect(missing?.code == .misuse && missing?.message.contains("no such table: closed") == true)
    #expect(failure { try store.write { tx in try tx.execute("DELETE FROM closed") } }?.code == .misuse)
    try store.close()
    #expect(failure { try store.count("closed") }?.code == .closed)
  }

  @Test("a write on a full disk throws diskFull and leaves the store as it was")
  func diskFull() throws {
    let store = try Shelves.temporary()
    try store.fill(books: 3)
    try store.write { tx in
      let pages = try tx.count("PRAGMA page_count")
      // A limit on the file's length is the same to SQLite as a volume without space.
      _ = try tx.values("PRAGMA max_page_count = \(raw: String(pages + 1))") { row in try row.int() }
    }
    let big = Shelf(String(repeating: "x", count: 100_000), number: 2)
    #expect(failure { try store.write { tx in try tx.insert(big) } }?.code == .diskFull)
    #expect(try store.count("shelves") == 1)
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test(
    "the file system's complaints keep their meaning",
    arguments: [
      (ENOSPC, StoreError.Code.diskFull), (EACCES, .permissionDenied), (EROFS, .cannotCreate), (ENOENT, .notFound), (EIO, .inputOutput),
    ])
  func posix(_ code: Int32, _ expected: StoreError.Code) {
    errno = code
    #expect(DurableFile.posix("/a/file", .inputOutput).code == expected)
    let cocoa = NSError(
      domain: NSCocoaErrorDomain, code: 0, userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code))])
    #expect(DurableFile.failure(cocoa, URL(fileURLWithPath: "/a/file")).code == expected)
  }
}
