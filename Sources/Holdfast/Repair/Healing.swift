import Foundation

/// Finds the best way to bring a damaged store back. Works on copies: the exact ways first, and the first that ends in a sound store.
struct Healing {
  let files: StoreFiles
  private let schemas: [StoreSchema]
  let options: StoreOptions
  let trustsArchive: Bool
  /// The last commit, where it must be in the archive.
  let lastCommit: Int64?
  let folder: WorkingFolder
  /// The store's files as they were; nothing writes to them.
  let copy: StoreFiles
  /// Nil where the file is gone or empty.
  let present: DamagedFile?
  var report = HealReport()
  /// That the log beside the store is not its own, in words; nil where it is.
  private(set) var foreignLog: String?
  /// The parts of the check that found the damage.
  private(set) var damagedParts: Set<IntegrityReport.Part> = [.file]
  /// The archive's state, where the store gets exactly that.
  var exact: ArchivedState?
  /// Whether a copy was left alone because nothing proves that it is this store's.
  var hasUnprovenCopy = false

  /// - Parameter copy: a copy of the store's files in `folder`.
  init(
    _ files: StoreFiles, copy: StoreFiles, _ schemas: [StoreSchema], _ options: StoreOptions, trustsArchive: Bool,
    lastCommit: Int64? = nil, _ folder: WorkingFolder
  ) throws {
    try Encryption.check(files, options.key)
    (self.files, self.copy, self.schemas, self.trustsArchive, self.folder) = (files, copy, schemas, trustsArchive, folder)
    (self.options, self.lastCommit) = (options, lastCommit)
    let guess = (try? ArchiveFolder(files).firstBases())?.last?.pageBytes ?? 4_096
    foreignLog = try copy.leaveForeignLog(options, named: files)
    do {
      present =
        DurableFile.size(copy.path) > 0 ? try DamagedFile(copy.url, log: copy.log, guess: guess, options.key, named: files.path) : nil
    } catch let error as StoreError where error.code == .wrongKey && Encryption.opensCopies(of: files, options) {
      // Nothing can be read in the file, and the key is right.
      present = nil
    }
  }

  /// The healed file, in the folder; nil when nothing has to be done, or nothing helps.
  mutating func run(check: () throws -> Void) throws -> URL? {
    let doubts = try examine()
    if let words = foreignLog ?? present?.ignoredLog { report.notes.append(words) }
    try check()
    let archived = try archivedState()
    try check()
    guard let healed = try healed(archived, doubts, check) else { return nil }
    if present == nil, copy.hasLog, report.means != .pages {
      report.mayBeLost.append("the log beside the store was not read: commits that only it has are in the files that are kept")
    }
    let known = report.means == .pages ? archived?.place : nil
    let lost = copy.hasLog ? try WriteAheadLog(copy.log, archived: known).lostCommits : 0
    if lost > 0, let words = LeftLog.Verdict.broken(commits: lost).message(files) { report.mayBeLost.append(words) }
    return healed
  }

  private mutating func healed(_ archived: ArchivedState?, _ doubts: [String], _ check: () throws -> Void) throws -> URL? {
    if let archived, let healed = try fromArchive(archived) { return healed }
    guard !report.damage.isEmpty else {
      report.notes += doubts
      return nil
    }
    if let present, let healed = try indexesMadeAgain(present) {
      report.means = .indexes
      if damagedParts != [.schema] { report.notes.append("where an index and its table disagreed about a value, the table's stays") }
      return healed
    }
    try check()
    // Every row is in the file.
    guard damagedParts != [.schema] else { return nil }
    return try rows(backup(archived), check)
  }

  /// What the pages of the store's file that cannot be decrypted hold, decrypted; empty where nobody knows it exactly.
  func undecryptable() throws -> [Int: [UInt8]] {
    guard let exact, let present else { return [:] }
    let numbers = present.undecryptable
    // They are held in memory.
    return numbers.count <= 16_384 ? try exact.content(of: numbers) : [:]
  }

  // MARK: What is wrong

  /// Fills `report.damage`. Returns findings that need not be damage: an app may have written such rows.
  private mutating func examine() throws -> [String] {
    guard present != nil else {
      let state = DurableFile.size(files.path) > 0 ? "cannot be read at all" : DurableFile.stands(files.path) ? "is empty" : "is gone"
      report.damage = ["\(files.path) \(state)"]
      return []
    }
    do {
      let findings = try Store.check(at: copy.url, schemas: schemas, options: options.forCopy).findings
      func words(_ finding: IntegrityReport.Finding) -> String {
        finding.words.replacing(copy.path, with: files.path)
      }
      report.damage = findings.filter(\.isDamage).map(words)
      damagedParts = Set(findings.filter(\.isDamage).map(\.part))
      return findings.filter { !$0.isDamage }.map(words)
    } catch let error as StoreError where error.code == .wrongKey {
      // Other pages can be read with the key.
      report.damage = ["the first page of \(files.path) is damaged"]
      return []
    } catch let found as StoreError {
      var error = found.naming(files.url)
      error.message = error.message.replacing(copy.path, with: files.path)
      guard [.damaged, .notADatabase, .decoding].contains(error.code) else { throw error }
      report.damage = [error.message]
      return []
    }
  }

  /// `file`, or a copy of it with its search indexes made again; nil where it is damaged, too.
  mutating func sound(_ file: URL, _ words: String) throws -> URL? {
    var found = try look(at: file, words)
    // SQLite calls a page damaged that the disk did not give. What the disk gives at the second time was not.
    if found.damage != nil { found = try look(at: file, words) }
    report.notes += found.damage.map { ["\(words) is damaged, too: \($0)"] } ?? []
    return found.file
  }

  private func look(at file: URL, _ words: String) throws -> (file: URL?, damage: String?) {
    let trial = folder.file("\(file.lastPathComponent).trial")
    _ = try DurableFile.remove(trial)
    try DurableFile.copy(file, to: trial)
    let connection = try ConnectionFactory(trial.path, options).working()
    do {
      try Snapshot.makeStandAlone(connection, trial, options)
      // Before a search index is read: older versions of SQLite end the process at some of its damaged pages.
      var damage = try Snapshot.damage(connection)
      let isRemade = try damage.isEmpty && remake(trial, connection)
      if damage.isEmpty { damage = try Store.check(at: trial, schemas: schemas, options: options.forCopy).damage }
      return damage.first.map { (nil, $0) } ?? (isRemade ? trial : file, nil)
    } catch {
      return (nil, try StoreError(error).ofContent().message.replacing(trial.path, with: words))
    }
  }

  // MARK: Indexes

  /// Makes again, in a copy, what opening would make again, and search indexes. Returns whether anything was.
  private func remake(_ file: URL, _ connection: RawConnection) throws -> Bool {
    let missing = try Store.runner(schemas, options).notAsDeclared(connection.texts)
    if !missing.isEmpty { try Store.migrate(file, files.path, schemas, options) }
    return try connection.remakeSearchIndexes().remade || !missing.isEmpty
  }

  /// A copy with its indexes made again, where only those are damaged; nil where rows are.
  private mutating func indexesMadeAgain(_ present: DamagedFile) throws -> URL? {
    // A page that cannot be decrypted may hold the end of a value: without it SQLite would read zeros there, and find nothing wrong.
    guard present.hasHeader, present.numbers.allSatisfy({ present.page($0) != nil || present.free.contains($0) }) else { return nil }
    let file = folder.file("indexes.sqlite")
    do {
      try present.copyPages(to: file)
      return try indexesMadeAgain(in: file)
    } catch {
      report.notes.append(try StoreError(error).ofContent().message.replacing(file.path, with: files.path))
      return nil
    }
  }

  /// `file` with its indexes made again, where only those are damaged.
  mutating func indexesMadeAgain(in file: URL) throws -> URL? {
    do {
      let connection = try ConnectionFactory(file.path, options).working()
      let found = try Snapshot.damage(connection)
      guard Snapshot.isOnlyOfIndexes(found), try !hidesRows(connection) else { return nil }
      try connection.run("REINDEX")
      _ = try remake(file, connection)
      // A row that points at none may be the one whose bytes changed.
      guard try !damagedParts.contains(.file) || Snapshot.dangling(connection).isEmpty else { return nil }
      let left = try Store.check(at: file, schemas: schemas, options: options.forCopy).damage
      report.notes += left.prefix(1)
      return left.isEmpty ? file : nil
    } catch {
      report.notes.append(try StoreError(error).ofContent().message.replacing(file.path, with: files.path))
      return nil
    }
  }

  /// Whether an index names rows that its table does not have: then the table is what is damaged.
  private func hidesRows(_ connection: RawConnection) throws -> Bool {
    try SQLTable.all(connection.texts, inner: true).contains { table in
      // The primary key of a table without rowids is the table.
      try table.indexes.filter { !$0.isPartial && (table.hasRowID || $0.origin != "pk") }.contains { index in
        let counts = try ["INDEXED BY \(quoted(index.name))", "NOT INDEXED"].map { how in
          try connection.texts("SELECT count(*) FROM \(quoted(table.name)) \(how)").first?[0].flatMap { Int($0) } ?? 0
        }
        return counts[0] > counts[1]
      }
    }
  }

  // MARK: Rows

  /// The newest sound state that can fill what is lost, with its name for people.
  private mutating func backup(_ archived: ArchivedState?) throws -> (file: URL, words: String)? {
    var found: [(time: Date, isSound: Bool, file: () throws -> URL, words: String)] = []
    if let archived { found.append((archived.commit.time, true, { archived.file }, archived.words)) }
    for snapshot in try Snapshot.all(files) {
      let (files, options, copy) = (files, options, folder.file("snapshot.sqlite"))
      // A copy: what heals takes the store's place.
      let build = {
        _ = try DurableFile.remove(copy)
        _ = try Snapshot.build(snapshot.id, files, options, at: copy)
        return copy
      }
      found.append((snapshot.createdAt, snapshot.findings.isEmpty, build, "the snapshot \(snapshot.id)"))
    }
    let sound = found.filter(\.isSound).sorted { $0.time > $1.time }
    for candidate in sound + found.filter({ !$0.isSound }).sorted(by: { $0.time > $1.time }) {
      do {
        let copy = try candidate.file()
        if try isOwn(copy, candidate.words), let file = try self.sound(copy, candidate.words) { return (file, candidate.words) }
      } catch {
        report.notes.append("\(candidate.words) could not help: \(try StoreError(error).ofContent().message)")
      }
    }
    return nil
  }

  private mutating func rows(_ backup: (file: URL, words: String)?, _ check: () throws -> Void) throws -> URL? {
    report.source = backup?.words
    if let present, present.pageCount > 0 {
      let file = folder.file("rows.sqlite")
      do {
        let salvage = try Store.salvage(copy.url, to: file, schemas, options, filling: backup?.file, check: check)
        let findings = salvage.findings.map { $0.replacing(copy.path, with: files.path).replacing(file.path, with: files.path) }
        guard !salvage.findings.contains(where: { $0.hasPrefix(SalvageReport.notOpening) }) else {
          report.notes += findings
          return copied(backup)
        }
        // A store without a row in the place of one whose copies nobody could prove is no healing.
        guard !hasUnprovenCopy || salvage.tables.contains(where: { $0.rows + $0.setAside > 0 && !$0.table.hasPrefix("holdfast_") }) else {
          throw StoreError(
            .damaged, "no row of \(files.path) can be read; \(report.notes.joined(separator: "; "))",
            suggestion: "The files are as they were. Heal with trust in the archive if a copy is this store's.")
        }
        // Whatever became of the row that has it.
        try LogLine.adopt(present.line?.store ?? backup.flatMap { StoreFiles.id(in: $0.file, options.key) }, by: file, options)
        report.salvage = salvage
        report.means = .rows
        report.mayBeLost.append("rows of damaged pages, as counted by table")
        report.notes += findings.filter { !report.notes.contains($0) } + filledNotes(salvage, backup?.words)
        return file
      } catch let error as StoreError where error.code == .notADatabase {
        let message = error.message.replacing(copy.path, with: files.path)
        guard backup != nil else {
          let why = report.notes.isEmpty ? ", and there is no copy of it" : "; \(report.notes.joined(separator: "; "))"
          throw StoreError(
            .damaged, message + why,
            suggestion: error.suggestion ?? "The files are as they were. Keep them, and look for a copy on another disk.")
        }
        report.notes.append(message)
      }
    }
    return copied(backup)
  }

  private mutating func copied(_ backup: (file: URL, words: String)?) -> URL? {
    if let backup {
      report.means = .copy
      report.mayBeLost.append("everything that was changed after \(backup.words)")
    }
    return backup?.file
  }

  /// Where the rows of lost pages came from.
  private func filledNotes(_ salvage: SalvageReport, _ copy: String?) -> [String] {
    let (filled, audited) = salvage.tables.reduce((0, 0)) { ($0.0 + $1.filled, $0.1 + $1.audited) }
    guard filled > 0 || audited > 0 else { return [] }
    guard let copy else { return ["rows of lost pages came from the store's audit"] }
    let notes = ["rows of lost pages came from \(copy); rows that were deleted after it may be back, and later changes are gone"]
    return audited > 0 ? notes + ["for \(audited) of these rows the store's audit told what they were in the end"] : notes
  }
}

extension IntegrityReport.Finding {
  /// For people: table, row and message.
  var words: String { [table, row, message].compactMap { $0 }.joined(separator: " ") }

  /// Whether healing can bring back what this tells of. An app may have written rows that break other rules.
  fileprivate var isDamage: Bool { part == .file || part == .fullText || part == .schema && message.hasSuffix(SchemaShape.madeAgain) }
}

extension IntegrityReport {
  fileprivate var damage: [String] { findings.filter(\.isDamage).map { [$0.table, $0.message].compactMap { $0 }.joined(separator: " ") } }
}

extension ArchivedState {
  /// For people.
  var words: String {
    let commits = commitsOfLog == 0 ? "" : ", with \(commitsOfLog) \(commitsOfLog == 1 ? "commit" : "commits") of the log"
    return "commit \(commit.number) of the archive\(commits)"
  }
}
