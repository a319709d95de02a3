import Foundation
import Holdfast
import HoldfastTesting
import Synchronization
import Testing

@Suite("Replacing a store's file")
struct ReplacementTests {
  let folder: TemporaryFolder
  let url: URL
  let snapshot: Snapshot
  /// Where the old file goes.
  private var kept: URL { folder.file("store.sqlite.holdfast/quarantine/20260101T000000000Z") }

  /// A closed store with four books, and a snapshot with three.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try folder.store([Shelves.schema])
    try store.fill()
    snapshot = try store.snapshot()
    try store.write { tx in try tx.insert(Book("later", number: 9)) }
    try store.close()
  }

  /// The names as a kill leaves them after `steps` of the replacement: the new file, the intent, the old file away, the new one in.
  ///
  /// - Parameters:
  ///   - stale: a snapshot whose search index is made again in the new file; nil: `snapshot`, whose index is sound.
  ///   - setAside: the name of a file that is to be kept with the old file; empty: none.
  private func interrupted(after steps: Int, by stale: Snapshot? = nil, setAside: String = "") throws {
    let chosen = stale ?? snapshot
    let replacement = folder.file("store.sqlite.holdfast/replacement")
    for place in [replacement, kept] { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
    let new = replacement.appendingPathComponent("new.sqlite")
    try FileManager.default.copyItem(at: folder.file("store.sqlite.holdfast/snapshots/\(chosen.id).sqlite"), to: new)
    if stale != nil {
      try RawDatabase.with(new) { raw in try raw.execute("INSERT INTO books_search (books_search) VALUES ('rebuild')") }
    }
    guard steps > 1 else { return }
    let hash = try SHA256Hex.ofFile(at: new)
    try #require((hash == chosen.sha256) == (stale == nil))
    if !setAside.isEmpty { try Data("a row\n".utf8).write(to: replacement.appendingPathComponent(setAside)) }
    let (reason, aside) = ("replaced by the snapshot \(chosen.id)", setAside.isEmpty ? "" : #","aside":["\#(setAside)"]"#)
    let intent = #"{"sha256":"\#(hash)","kept":"20260101T000000000Z","reason":"\#(reason)"\#(aside)}"#
    try Data(intent.utf8).write(to: replacement.appendingPathComponent("intent.json"))
    guard steps > 2 else { return }
    try FileManager.default.moveItem(at: url, to: kept.appendingPathComponent("store.sqlite"))
    guard steps > 3 else { return }
    try FileManager.default.moveItem(at: new, to: url)
  }

  /// Whoever comes next.
  enum Next: CaseIterable {
    case kinds, check, opening, openingReadOnly, healing, restoring, salvaging

    func comes(_ url: URL, _ snapshot: Snapshot) throws {
      var options = StoreOptions.testing
      switch self {
      case .kinds: #expect(try Store.kinds(at: url) == ["shelves": 1])
      case .check: #expect(try Store.check(at: url, schemas: [Shelves.schema]).isHealthy)
      case .healing: #expect(try Store.heal(at: url, schemas: [Shelves.schema], options: options).damage == [])
      case .salvaging:
        let other = url.deletingLastPathComponent().appendingPathComponent("salvaged.sqlite")
        #expect(try Store.salvagedNames(url, beside: other, nil).schemas.contains("shelves"))
      case .restoring: try Store.restore(at: url, snapshot: snapshot.id, options: options)
      case .opening, .openingReadOnly:
        options.opensReadOnly = self == .openingReadOnly
        let store = try Store.open(at: url, schemas: [Shelves.schema], options: options)
        #expect(store.notices.map(\.kind) == [.finishedRestore])
        try store.close()
      }
    }
  }

  @Test("interrupted after its intent, a replacement is finished by whoever comes next", arguments: 2...4, Next.allCases)
  func finished(_ steps: Int, _ next: Next) throws {
    try interrupted(after: steps, setAside: "set-aside.jsonl")
    try next.comes(url, snapshot)
    let kept = "store.sqlite.holdfast/quarantine/20260101T000000000Z/"
    let names = try folder.contents()
    #expect(["store.sqlite", "set-aside.jsonl", "reason.txt"].allSatisfy { names.contains(kept + $0) }, "\(names)")
    #expect(names.filter { $0.contains("replacement/") } == [])
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3 && store.notices == [])
  }

  @Test("interrupted before its intent, a replacement has changed nothing, and looking changes nothing")
  func begun() throws {
    try interrupted(after: 1)
    let names = try folder.contents()
    #expect(try Store.kinds(at: url) == ["shelves": 1])
    #expect(try folder.contents() == names)
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 4 && store.notices == [])
    try store.close()
    #expect(try folder.contents().filter { $0.contains("replacement/") } == [])
  }

  @Test(
    "what somebody made in the midst of a replacement is kept beside the old file, and ends no later opening", arguments: [true, false])
  func madeMeanwhile(isLink: Bool) throws {
    try interrupted(after: 3)
    if isLink {
      // As a kill leaves it where a volume only knows links.
      try FileManager.default.linkItem(at: kept.appendingPathComponent("store.sqlite"), to: url)
    } else {
      try Data().write(to: url)
    }
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    #expect(store.notices.map(\.kind) == [.finishedRestore])
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted().filter { $0 != "reason.txt" }
    #expect(names == (isLink ? ["store.sqlite"] : ["store.sqlite", "store.sqlite-2"]))
  }

  @Test("an interrupted replacement is finished where a person has taken the quarantine away")
  func quarantineGone() throws {
    try interrupted(after: 2)
    try FileManager.default.removeItem(at: folder.file("store.sqlite.holdfast/quarantine"))
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    #expect(try folder.contents().contains("store.sqlite.holdfast/quarantine/20260101T000000000Z/store.sqlite"))
  }

  @Test("an interrupted replacement whose new file is damaged is given up: the old file stays, or comes back", arguments: [2, 3])
  func newFileDamaged(_ steps: Int) throws {
    try interrupted(after: steps)
    try Damage.overwrite(folder.file("store.sqlite.holdfast/replacement/new.sqlite"), at: 5_000, count: 16)
    let store = try folder.store([Shelves.schema])
    #expect(store.notices.map(\.kind) == [.abandonedRestore])
    #expect(try store.titles().count == 4)
    try store.close()
    #expect(try folder.store([Shelves.schema]).notices == [])
  }

  @Test("a store that somebody has made and opened while a restore began is not moved away")
  func openedMeanwhile() throws {
    try FileManager.default.removeItem(at: url)
    // Something stands there: a log without its file.
    try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: url.path + "-journal"))
    let opened = Mutex<Store?>(nil)
    var options = StoreOptions.testing
    // Asked where the quarantine is made, just before the intent is written.
    options.now = { [folder] in
      opened.withLock { opened in
        if opened == nil { opened = try? folder.store([Shelves.schema]) }
      }
      return Date(timeIntervalSince1970: 1_700_000_000)
    }
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: options) }?.code == .busy)
    let store = try #require(opened.withLock { $0 })
    try store.fill(shelf: 7)
    try store.close()
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("where nothing stood at first, what somebody made since is kept, too")
  func madeWhereNothingStood() throws {
    try interrupted(after: 2)
    let intent = folder.file("store.sqlite.holdfast/replacement/intent.json")
    let text = try String(contentsOf: intent, encoding: .utf8)
    try Data(text.replacingOccurrences(of: "20260101T000000000Z", with: "").utf8).write(to: intent)
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    let kept = try #require(store.notices.first?.kept)
    #expect(try Store.kinds(at: kept.appendingPathComponent("store.sqlite")) == ["shelves": 1])
  }

  @Test("an interrupted replacement is not finished while somebody has the old file open")
  func oldFileInUse() throws {
    try interrupted(after: 2)
    try RawDatabase.with(url) { raw in
      try raw.execute("BEGIN; SELECT count(*) FROM books")
      #expect(failure { try folder.store([Shelves.schema]) }?.code == .busy)
      try raw.execute("COMMIT")
    }
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test(
    "the same restore again finishes the interrupted one, also where that made a stale search index again, and names the old file's folder",
    arguments: 2...4, [false, true])
  func again(_ steps: Int, isStale: Bool) throws {
    var stale: Snapshot?
    if isStale {
      let store = try folder.store([Shelves.schema])
      try store.write { tx in _ = try tx.execute("INSERT INTO books_search (books_search) VALUES ('delete-all')") }
      stale = try store.snapshot()
      try store.write { tx in try tx.insert(Book("last", number: 10)) }
      try store.close()
    }
    let old = try Data(contentsOf: url)
    try interrupted(after: steps, by: stale)
    let named = try Store.restore(at: url, snapshot: (stale ?? snapshot).id, options: .testing)
    #expect(named?.lastPathComponent == kept.lastPathComponent)
    #expect(try Data(contentsOf: kept.appendingPathComponent("store.sqlite")) == old)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("store.sqlite.holdfast/quarantine").path).count == 1)
    #expect(try folder.store([Shelves.schema]).titles().count == (isStale ? 4 : 3))
  }

  @Test("the same restore again, of an interrupted one whose new file is damaged, begins anew")
  func againWithDamage() throws {
    try interrupted(after: 3)
    try Damage.overwrite(folder.file("store.sqlite.holdfast/replacement/new.sqlite"), at: 5_000, count: 16)
    #expect(try Store.restore(at: url, snapshot: snapshot.id, options: .testing) != nil)
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("two processes do not replace one store at the same time")
  func replacedTwice() throws {
    let place = folder.file("store.sqlite.holdfast/replacement")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let descriptor = open(place.path, O_RDONLY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == .busy)
    close(descriptor)
    #expect(try Store.restore(at: url, snapshot: snapshot.id, options: .testing) != nil)
  }

  @Test(
    "a snapshot that holds other rows than it says is not put back",
    arguments: [(#""books" : 3"#, #""books" : 4"#), (#""shelves" : 1"#, #""shelves" : 2"#)])
  func otherRows(said: String, other: String) throws {
    let description = folder.file("store.sqlite.holdfast/snapshots/\(snapshot.id).json")
    let text = try String(contentsOf: description, encoding: .utf8)
    // The second changes the version of the library, too.
    let changed = text.replacingOccurrences(of: said, with: other)
    try #require(text != changed)
    try Data(changed.utf8).write(to: description)
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == .verificationFailed)
  }

  @Test("the log of the replaced file is kept with it, byte for byte")
  func keepsTheLog() throws {
    let left = try LeftStore()
    let store = try left.open()
    let snapshot = try store.snapshot()
    try store.close()
    try Data(repeating: 7, count: 5000).write(to: left.log)
    try Damage.overwrite(left.url, at: 0, count: 4096)
    let kept = try #require(try Store.restore(at: left.url, snapshot: snapshot.id, options: .testing))
    #expect(try Data(contentsOf: kept.appendingPathComponent("store.sqlite-wal")) == Data(repeating: 7, count: 5000))
    let restored = try left.open()
    #expect(restored.notices == [])
    #expect(try restored.titles().count == 12)
  }
}
