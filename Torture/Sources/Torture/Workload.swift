import Foundation
import Holdfast
import HoldfastTransfer
import Synchronization

/// One thing that an app does with a store, as a process of its own does it: first `prepare`, undisturbed, then `run`, under attack.
enum Workload: String, CaseIterable, Codable, Sendable {
  case commits
  /// Commits of a store that is connected to a space.
  case synced
  /// Threads and tasks that commit at once.
  case writers
  /// Commits of a store that is archived: labels, states told with their commits, a clock that is set, rewinds.
  case archive
  /// Retention of an archived store, rotated snapshots and drills.
  case housekeeping
  /// Retention of rows and of the audit.
  case retention
  /// One transaction that is larger than SQLite's cache.
  case largeCommit = "large-commit"
  case importNew = "import-new"
  case importInto = "import-into"
  /// Into a store that the app has open, and goes on using.
  case importOpen = "import-open"
  case restoreInPlace = "restore-in-place"
  case restoreReplacing = "restore-replacing"
  case migrate
  case snapshot
  case export
  case vacuum
  /// Pages from the archive for a damaged store, closed or open.
  case healClosed = "heal-closed"
  case healOpen = "heal-open"
  /// Rows of a damaged store, and those of its snapshot that it has lost.
  case healRows = "heal-rows"
  /// A state of the archive as a file beside the store.
  case restoreTo = "restore-to"
  /// The rows of a damaged file as a new file.
  case salvage
  /// Another key for an encrypted store.
  case rekey
  /// No key for an encrypted store, and then its key again.
  case decrypt

  /// Batches in the store before the attack.
  static let prepared = 10
  /// Batches in the snapshot that is put back.
  static let inSnapshot = 6
  static let committed = 40
  static let imported = 12
  /// Threads and tasks that commit at once: at most so many commits are under way.
  static let writerCount = 8

  static func store(_ folder: URL) -> URL { folder.appendingPathComponent("list.sqlite") }
  static func source(_ folder: URL) -> URL { folder.appendingPathComponent("source.json") }
  static func exported(_ folder: URL) -> URL { folder.appendingPathComponent("export.jsonl") }
  static let oldExport = Data("an earlier export\n".utf8)

  /// Whether there is a store before the attack.
  var isPrepared: Bool { ![.commits, .writers, .archive, .importNew].contains(self) }

  /// Whether the store always keeps an archive.
  var isArchived: Bool { self == .archive || self == .housekeeping }

  /// Whether it changes the key of the store, which must have one.
  var changesKey: Bool { self == .rekey || self == .decrypt }

  /// What the store has in the end.
  var schemas: [LibrarySchema] {
    switch self {
    case .migrate: [Library.new]
    case .retention: Retaining.schemas
    case .synced: [Synced.schema]
    default: [Library.old]
    }
  }

  /// The numbers in the source.
  var source: ClosedRange<Int>? {
    switch self {
    case .importNew: 1...Self.imported
    case .importInto, .importOpen: (Self.prepared + 1)...(Self.prepared + Self.imported)
    default: nil
    }
  }

  func prepare(_ folder: URL, seed: UInt64, isArchived: Bool) throws {
    if let numbers = source {
      try BatchFormat.data(numbers.map { Batch(number: $0, seed: seed) }).write(to: Self.source(folder))
    }
    if self == .export { try Self.oldExport.write(to: Self.exported(folder)) }
    guard isPrepared else { return }
    if self == .retention { return try Retaining.prepare(Self.store(folder), Self.options(.fast, seed: seed), seed: seed) }
    if self == .synced { return try Synced.prepare(Self.store(folder), Self.options(.fast, seed: seed), seed: seed) }
    if self == .housekeeping { return try Housekeeping.prepare(folder, Self.options(.fast, seed: seed), seed: seed) }
    if heals || makesFile { return try WaysBack.prepare(self, folder, Self.options(.fast, seed: seed), seed: seed) }
    if isArchived { return try FormerArchives.prepare(folder, Self.options(.fast, seed: seed), seed: seed) }
    let store = try Store.open(at: Self.store(folder), schemas: [Library.old], options: Self.options(.fast, seed: seed))
    for number in 1...Self.prepared {
      try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
      if number == Self.inSnapshot, [.restoreInPlace, .restoreReplacing, .rekey, .decrypt].contains(self) {
        try store.snapshot(label: "earlier")
      }
    }
    if self == .vacuum {
      // Something to gain: pages that became free.
      try store.write { try Library.save(Batch(number: 11, seed: seed, large: false), in: $0) }
      try store.write { _ = try $0.execute("DELETE FROM batches WHERE number = 11") }
    }
    try store.close()
  }

  func run(_ folder: URL, _ durability: StoreOptions.Durability, seed: UInt64, acks: Acks) throws {
    var options = Self.options(durability, seed: seed)
    if Attack.childIsArchived { options.archives() }
    let url = Self.store(folder)
    switch self {
    case .commits, .synced: try commit(url, options, seed: seed, acks)
    case .writers: try commitAtOnce(url, options, seed: seed, acks)
    case .archive: try ArchivedCommits(url: url, options: options, seed: seed, acks: acks).run()
    case .housekeeping: try Housekeeping(url: url, options: options, seed: seed, acks: acks).run()
    case .retention: try Retaining.run(url, options, seed: seed, acks)
    case .largeCommit:
      try use(url, options, acks) { store in
        acks.tell("opened")
        try store.write { try Library.save(Batch(number: Self.prepared + 1, seed: seed, large: true), in: $0) }
        acks.tell("commit \(Self.prepared + 1)")
      }
    case .importNew, .importInto:
      let source = try ImportSource(Self.source(folder))
      let report = try Store.importing(
        BatchFormat(source.content()), from: source, into: url, schemas: [Library.old], storeOptions: options)
      acks.tell("imported")
      if let backup = report.backup { acks.tell("backup \(URL(fileURLWithPath: backup).lastPathComponent)") }
    case .importOpen:
      try use(url, options, acks) { store in
        let source = try ImportSource(Self.source(folder))
        let report = try store.importing(BatchFormat(source.content()), from: source)
        acks.tell("imported")
        if let backup = report.backup { acks.tell("backup \(URL(fileURLWithPath: backup).lastPathComponent)") }
      }
    case .restoreInPlace:
      try use(url, options, acks) { store in
        let id = try Self.earlier(url)
        acks.tell("restored \(try store.restore(snapshot: id).id)")
      }
    case .restoreReplacing:
      let kept = try Store.restore(at: url, snapshot: Self.earlier(url), options: options)
      acks.tell("replaced \(kept?.lastPathComponent ?? "")")
    case .migrate:
      try use(url, options, acks) { store in
        if let error = store.openingError { throw error }
        acks.tell("migrated")
      }
    case .snapshot:
      try use(url, options, acks) { store in acks.tell("snapshot \(try store.snapshot(label: "by hand").id)") }
    case .export:
      try use(url, options, acks) { store in
        _ = try store.export(to: Self.exported(folder))
        acks.tell("exported")
      }
    case .vacuum:
      try use(url, options, acks) { store in
        try store.vacuum()
        acks.tell("vacuumed")
      }
    case .healClosed, .healOpen, .healRows, .restoreTo, .salvage: try WaysBack.run(self, folder, options, acks)
    case .rekey:
      guard let other = Keys.other else { throw StoreError(.misuse, "the torture has no key") }
      try Store.rekey(at: url, to: other, formerFiles: Self.formerFiles(seed), options: options)
      acks.tell("rekeyed")
    case .decrypt:
      guard let key = Keys.key else { throw StoreError(.misuse, "the torture has no key") }
      let former = Self.formerFiles(seed)
      try Store.decrypt(at: url, encryptedFiles: former, options: options)
      acks.tell("decrypted")
      if Attack.childIsArchived {
        var plain = options
        plain.key = nil
        try FormerArchives.begin(url, plain, acks)
      }
      try Store.encrypt(at: url, with: key, plainFiles: former, options: options)
      acks.tell("encrypted")
    }
  }

  private func use(_ url: URL, _ options: StoreOptions, _ acks: Acks, _ body: (Store) throws -> Void) throws {
    let store = try Store.open(at: url, schemas: schemas, options: options)
    try body(store)
    try store.close()
    acks.tell("closed")
  }

  /// Commits with what lies between them in an app's life: checkpoints of each kind, closing and opening again.
  private func commit(_ url: URL, _ options: StoreOptions, seed: UInt64, _ acks: Acks) throws {
    var random = Chance(seed)
    var store = try Store.open(at: url, schemas: schemas, options: options)
    acks.tell("opened")
    let before = isPrepared ? Self.prepared : 0
    for number in (before + 1)...(before + Self.committed) {
      let batch = Batch(number: number, seed: seed)
      switch Sabotage.current {
      case .early: acks.tell("commit \(number)")
      case .split:
        try store.write { _ = try $0.execute("INSERT INTO batches (number, lines, checksum) VALUES (\(number), 1, \(number))") }
        try store.write { transaction in
          _ = try transaction.execute("DELETE FROM batches WHERE number = \(number)")
          try Library.save(batch, in: transaction)
        }
      default: break
      }
      if Sabotage.current != .split { try store.write { try Library.save(batch, in: $0) } }
      if Sabotage.current == .unnoted {
        try store.write { _ = try $0.execute("DELETE FROM holdfast_sync_row WHERE key = \("\(number)")") }
      }
      acks.tell("commit \(number)")
      switch random.below(14) {
      case 0: try store.checkpoint(.passive)
      case 1: try store.checkpoint(.restart)
      case 2: try store.checkpoint(.truncate)
      case 3:
        try store.close()
        acks.tell("closed")
        store = try Store.open(at: url, schemas: schemas, options: options)
        acks.tell("opened")
      default: break
      }
    }
    try store.close()
    acks.tell("closed")
  }

  /// Each transaction takes the next number, so the numbers are in the order of the commits. Two runs do not do the same.
  private func commitAtOnce(_ url: URL, _ options: StoreOptions, seed: UInt64, _ acks: Acks) throws {
    let store = try Store.open(at: url, schemas: [Library.old], options: options)
    acks.tell("opened")
    let save: @Sendable (Writer) throws -> Int = { transaction in
      let number = try transaction.count("SELECT count(*) FROM batches") + 1
      try Library.save(Batch(number: number, seed: seed), in: transaction)
      return number
    }
    let failure = FirstFailure()
    let group = DispatchGroup()
    for writer in 0..<Self.writerCount {
      group.enter()
      if writer.isMultiple(of: 2) {
        Task.detached {
          do {
            for _ in 0..<Self.committed / Self.writerCount {
              let number = try await store.write(save)
              acks.tell("commit \(number)")
            }
          } catch {
            failure.keep(error)
          }
          group.leave()
        }
      } else {
        DispatchQueue(label: "writer").async {
          do {
            for _ in 0..<Self.committed / Self.writerCount {
              let number = try store.write(save)
              acks.tell("commit \(number)")
            }
            if writer == 1 { try store.checkpoint() }
          } catch {
            failure.keep(error)
          }
          group.leave()
        }
      }
    }
    group.wait()
    if let error = failure.error { throw error }
    try store.close()
    acks.tell("closed")
  }

  private static func earlier(_ url: URL) throws -> String {
    guard let snapshot = try Snapshot.all(of: url).last else {
      // A description that cannot be read is listed apart.
      throw StoreError(.inputOutput, "there is no snapshot to restore that can be read")
    }
    return snapshot.id
  }

  static let busyMilliseconds = 2_000

  /// What a change of the key does with the files of before.
  static func formerFiles(_ seed: UInt64) -> FormerFiles { seed.isMultiple(of: 2) ? .keep : .remove }

  /// The clock stands still: two runs do the same.
  static func options(_ durability: StoreOptions.Durability, seed: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.durability = durability
    options.readerCount = 2
    options.busyTimeout = .milliseconds(busyMilliseconds)
    options.newID = .v7
    options.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    options.key = Keys.key
    return options
  }
}

/// The error that the first of many writers met.
final class FirstFailure: Sendable {
  private let kept = Mutex<(any Error)?>(nil)

  var error: (any Error)? { kept.withLock { $0 } }
  func keep(_ error: any Error) { kept.withLock { $0 = $0 ?? error } }
}

/// Where a workload says what was reported to it as done. The shim records these lines among the file operations.
struct Acks: Sendable {
  private let descriptor: Int32

  init(_ path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600) }

  func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    if write(descriptor, bytes, bytes.count) != bytes.count { fatalError("the acknowledgements cannot be written") }
  }

  /// `busy 1980 ms: …` with how long it was waited for, `failed …` otherwise.
  func tell(failure error: any Error, since begun: ContinuousClock.Instant, _ what: String? = nil) {
    let text = ((what.map { "\($0): " } ?? "") + Verdict.text(error)).replacingOccurrences(of: "\n", with: " ")
    let waited = Int((ContinuousClock.now - begun) / .milliseconds(1))
    tell((error as? StoreError)?.code == .busy ? "busy \(waited) ms: \(text)" : "failed \(text)")
  }
}

/// A method whose attacked processes can be told a mistake to make.
protocol Sabotaged {
  var environment: [String: String] { get set }
  func run(_ name: String) throws -> Tally
}

/// Mistakes made on purpose: with them the methods must find something.
enum Sabotage: String {
  /// Acknowledges before the commit.
  case early
  /// Writes one batch in two transactions.
  case split
  /// Claims that all was done when something was thrown.
  case deaf
  /// Keeps what a restore replaces some time before the restore.
  case unlocked
  /// Migrates a copy, and moves it over the file.
  case over
  /// Tells a state with the number of the commit before it.
  case misremembers
  /// Removes an entry of the audit, and rows beside retention.
  case forgets
  /// Forgets that a batch has to be sent.
  case unnoted

  static let current = ProcessInfo.processInfo.environment["TORTURE_SABOTAGE"].flatMap(Sabotage.init)
}
