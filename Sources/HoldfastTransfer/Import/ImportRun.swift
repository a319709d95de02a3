import Foundation
import Holdfast

/// One import into an open transaction: writes the records, then verifies them against a second reading of the source.
///
/// Invariants: every record of the source counts in exactly one of the four outcomes; every written record is verified; an error here rolls
/// everything back.
struct ImportRun<Format: ImportFormat> {
  let format: Format
  let options: ImportOptions
  let importID: String
  private var report: ImportReport
  /// The kinds of the format, then others of the source. A list: there are few kinds, and every record asks for its kind several times.
  private var kinds: [KindOfRun]
  /// Records that are missing in the store after this import, with the reason, for their children.
  private var absent: [KeyOfKind: Absence] = [:]
  /// Records with a newer version in the source. Their children without a time of their own follow them.
  private var newer: Set<KeyOfKind> = []
  /// The records that verification leaves out, skipped and quarantined ones, by their number in the source.
  private var left: Set<Int> = []
  private var number = 0
  private var remarks: [String: Remark] = [:]
  /// The number of records that the store already had with equal fields.
  private var equal = 0
  private var ledgerHadRows = false
  /// The entries for a ledger that had none. They are written after all records, in the ledger's order: at random they would change pages all
  /// over it.
  private var entries: [(record: KeyOfKind, print: Int64)] = []
  private var progress: ImportProgress
  private var phaseBegan = ContinuousClock.now
  /// The quarantined entries of an earlier import that this one tries again; nil when it tries none again.
  private var retry: QuarantineRetry?
  /// Whether each record gets a savepoint, which undoes the changes of a record that fails.
  var isCareful = false
  /// False only when the store mirrors a file that stays, so that records that were not loaded are not lost.
  var verifies = true

  init(_ format: Format, source: ImportSource?, options: ImportOptions, importID: String) throws {
    self.format = format
    self.options = options
    self.importID = importID
    progress = ImportProgress(phase: .importing, total: format.total)
    report = try ImportReport(
      format: format.name, formatVersion: format.version, source: options.sourceName ?? source?.url.path ?? "",
      sourceSHA256: source?.sha256 ?? "", dryRun: options.dryRun, kinds: format.kinds.map(\.name),
      timeZone: format.timeZone?.identifier)
    kinds = []
    // Several tables of a source may become one kind.
    for kind in format.kinds { _ = index(of: kind.name) }
  }

  /// - Throws: `.verificationFailed`, `.cancelled`, `.invalidSource`, and the errors of reading and writing.
  mutating func run(in tx: Writer) throws -> ImportReport {
    for kind in format.kinds where try tx.count("SELECT count(*) FROM (SELECT 1 FROM \(sql: .names([kind.table])) LIMIT 1)") > 0 {
      kinds[index(of: kind.name)].hadRows = true
    }
    for kind in format.kinds { kinds[index(of: kind.name)].isAlone = format.kinds.count { $0.table == kind.table } == 1 }
    ledgerHadRows = try tx.count("SELECT count(*) FROM (SELECT 1 FROM holdfast_imported LIMIT 1)") > 0
    begin(.importing)
    retry = try options.retries.map { try QuarantineRetry(of: $0, format.name, tx) }
    try format.scan(tx) { scanned, position in
      try pause(position)
      number += 1
      try take(scanned, tx)
    }
    try enter(tx)
    tell(format.total)
    for kind in kinds where !kind.counts.addsUp {
      throw StoreError(.verificationFailed, "the counts of \(kind.name) do not add up to the \(kind.counts.source) records of the source")
    }
    report.kinds = kinds.map(\.name)
    for kind in kinds { report.counts[kind.name] = kind.counts }
    for (text, remark) in remarks { report.note("\(text) (first: \(remark.first))", count: remark.count) }
    guard verifies else { return report }
    begin(.verifying)
    number = 0
    var verifiedRecords = 0
    try tx.findingInOrder {
      try format.scan(tx) { scanned, position in
        try pause(position)
        number += 1
        if case .record(let record) = scanned, !left.contains(number) {
          try Self.verify(record, format, tx)
          verifiedRecords += 1
        }
      }
    }
    tell(format.total)
    let expected = report.counts.values.reduce(equal) { $0 + $1.imported + $1.merged }
    guard verifiedRecords == expected else {
      throw StoreError(
        .verificationFailed,
        "\(expected) records were to be verified, and \(verifiedRecords) were found on the second reading of the source")
    }
    report.released = try retry?.release(tx)
    begin(.finishing)
    tell(format.total)
    try checkCancelled()
    report.verified = true
    return report
  }

  private mutating func take(_ scanned: Scanned<Format.Content>, _ tx: Writer) throws {
    switch scanned {
    case .record(let record):
      let kind = index(of: record.kind)
      kinds[kind].counts.source += 1
      try decide(record, KeyOfKind(kind: kind, key: RecordKey(record.key)), tx)
    case .damaged(let kind, let key, let path, let reason, let original):
      let index = index(of: kind)
      kinds[index].counts.source += 1
      // Where the store has rows already, one of them may be this record: then its foreign keys decide about the children.
      if let key = key.map(RecordKey.init), !kinds[index].hadRows, kinds[index].seen[key] == nil {
        absent[KeyOfKind(kind: index, key: key)] = .quarantined
      }
      try quarantine(kind: kind, path: path, reason: reason, original: original, tx)
    case .skipped(let kind, let path, let reason):
      kinds[index(of: kind)].counts.source += 1
      if reason == ImportReport.Newer.reason, report.firstNewer == nil { report.firstNewer = .init(kind: kind, path: path.description) }
      skip(kind, reason)
    case .damagedField(let kind, let field, let path, let reason, let original):
      try keep(kind: kind, field: field, path: path, reason: reason, original: original, tx)
    case .note(let text, let path):
      remarks[text, default: Remark(first: path)].count += 1
    }
  }

  private mutating func decide(_ record: SourceRecord<Format.Content>, _ place: KeyOfKind, _ tx: Writer) throws {
    let (content, print) = fingerprints(record.fields)
    if !absent.isEmpty, let absence = absence(of: record) {
      absent[place] = absence
      switch absence {
      case .quarantined: return try quarantine(record, "the record that it belongs to is quarantined", tx)
      case .deleted: return leave(record, "deleted since it was imported")
      }
    }
    let kind = place.kind
    if let first = kinds[kind].seen.updateValue(content, forKey: place.key) {
      kinds[kind].seen[place.key] = first
      return first == content
        ? leave(record, "a repetition in the source")
        : try quarantine(record, "an earlier record in the source has the same id and other content", tx)
    }
    guard kinds[kind].hadRows || ledgerHadRows else { return try write(record, place, print, tx, merging: false) }
    let ledger = try ledgerHadRows ? ImportedKey.fingerprint(record.kind, record.key, tx) : nil
    guard let stored = try format.readBack(record, in: tx) else {
      guard ledger != nil else { return try write(record, place, print, tx, merging: false) }
      absent[place] = .deleted
      return leave(record, "deleted since it was imported")
    }
    if stored.fields == record.fields {
      if ledger != print { try remember(place, print, tx) }
      // Children without a time of their own follow their parent when the source's parent is newer.
      if followsNewer(record) { newer.insert(place) }
      // Counted as verified: the second reading compares this record, too.
      equal += 1
      kinds[kind].counts.skipped += 1
      report.skipped["in the store already", default: 0] += 1
      return
    }
    if sourceIsNewer(record, stored) || ledger == fingerprints(stored.fields).whole {
      newer.insert(place)
      try write(record, place, print, tx, merging: true)
    } else {
      report.firstNewer = report.firstNewer ?? .init(record, stored)
      leave(record, ImportReport.Newer.reason)
    }
  }

  private func sourceIsNewer(_ record: SourceRecord<Format.Content>, _ stored: StoredShape) -> Bool {
    if let mine = record.modifiedAt, let theirs = stored.modifiedAt { return mine > theirs }
    return followsNewer(record)
  }

  private func followsNewer(_ record: SourceRecord<Format.Content>) -> Bool {
    guard !newer.isEmpty, let parent = record.parent else { return false }
    return place(of: parent).map(newer.contains) ?? false
  }

  /// Why a record cannot come in. What it only refers to may have been deleted: then its own row decides, or the store's foreign key.
  private func absence(of record: SourceRecord<Format.Content>) -> Absence? {
    if let parent = record.parent, let place = place(of: parent), let absence = absent[place] { return absence }
    return record.references.contains { place(of: $0).map { absent[$0] == .quarantined } ?? false } ? .quarantined : nil
  }

  /// Nil where no record of the kind was visited.
  private func place(of parent: SourceRecord<Format.Content>.Parent) -> KeyOfKind? {
    kinds.firstIndex { $0.name == parent.kind }.map { KeyOfKind(kind: $0, key: RecordKey(parent.key)) }
  }

  private mutating func write(
    _ record: SourceRecord<Format.Content>, _ place: KeyOfKind, _ print: Int64, _ tx: Writer, merging: Bool
  ) throws {
    tx.insertsFirst = !merging && !kinds[place.kind].hadRows && kinds[place.kind].isAlone
    defer { tx.insertsFirst = false }
    do {
      if isCareful {
        try tx.savepoint { try format.write(record, in: tx) }
      } else {
        let before = tx.totalChanges
        do {
          try format.write(record, in: tx)
        } catch {
          // A savepoint for each record costs more than all other steps. A record that failed before it changed anything needs none.
          guard tx.totalChanges == before else { throw HalfWrittenRecord() }
          throw error
        }
      }
    } catch let error as StoreError where error.code == .constraint || error.code == .invalidValue {
      kinds[place.kind].seen[place.key] = nil
      if !merging { absent[place] = .quarantined }
      // The report names the table itself.
      let reason = error.code == .invalidValue ? error.message.trimmingPrefix("\(error.table ?? ""): ") : error.message[...]
      return try quarantine(record, String(reason), tx)
    }
    // The store may have refused an earlier record with this key.
    if !absent.isEmpty { absent[place] = nil }
    try remember(place, print, tx)
    if let note = record.note { report.note(note) }
    retry?.came(record.kind, record.path)
    if merging { kinds[place.kind].counts.merged += 1 } else { kinds[place.kind].counts.imported += 1 }
  }

  private static func verify(_ record: SourceRecord<Format.Content>, _ format: Format, _ tx: Writer) throws {
    guard let stored = try format.readBack(record, in: tx) else {
      throw StoreError(.verificationFailed, "\(record.path) was imported and is not in the store")
    }
    guard stored.fields != record.fields else { return }
    let differing = zip(record.fields, stored.fields).first { $0 != $1 }
    let detail = differing.map { source, store in
      "\(source.name) is \(source.value.canonicalText()) in the source and \(store.value.canonicalText()) in the store"
    }
    throw StoreError(.verificationFailed, "\(record.path) was not stored as it is in the source: \(detail ?? "fields are missing")")
  }

  private mutating func index(of kind: String) -> Int {
    for place in kinds.indices where kinds[place].name == kind { return place }
    kinds.append(KindOfRun(name: kind))
    return kinds.count - 1
  }

  private mutating func skip(_ kind: String, _ reason: String) {
    kinds[index(of: kind)].counts.skipped += 1
    report.skipped[reason, default: 0] += 1
  }

  private mutating func leave(_ record: SourceRecord<Format.Content>, _ reason: String) {
    left.insert(number)
    skip(record.kind, reason)
  }

  private mutating func quarantine(_ record: SourceRecord<Format.Content>, _ reason: String, _ tx: Writer) throws {
    left.insert(number)
    try quarantine(kind: record.kind, path: record.path, reason: reason, original: record.original, tx)
  }

  private mutating func quarantine(kind: String, path: SourcePath, reason: String, original: SourceBytes, _ tx: Writer) throws {
    kinds[index(of: kind)].counts.quarantined += 1
    try keep(kind: kind, field: nil, path: path, reason: reason, original: original, tx)
  }

  private mutating func keep(
    kind: String, field: String?, path: SourcePath, reason: String, original: SourceBytes, _ tx: Writer
  ) throws {
    retry?.refused(kind, field, path)
    report.problemCount += 1
    if report.problems.count < 1_000 { report.problems.append(.init(kind: kind, field: field, path: path.description, reason: reason)) }
    let bytes = original.data
    // The same record of the same source is kept only once, however often it is imported.
    try tx.execute(
      """
      INSERT INTO holdfast_quarantine (import_id, kind, field, path, reason, original, original_sha256, created_at)
      VALUES (\(options.retries ?? importID), \(kind), \(field ?? ""), \(path.description), \(reason), \(bytes), \(SHA256Hex.of(bytes)), \(tx.currentDate()))
      ON CONFLICT (kind, field, path, original_sha256) DO NOTHING
      """)
  }

  private mutating func remember(_ record: KeyOfKind, _ print: Int64, _ tx: Writer) throws {
    if ledgerHadRows { try tx.upsert(entry(record, print)) } else { entries.append((record, print)) }
  }

  private func entry(_ record: KeyOfKind, _ print: Int64) -> ImportedKey {
    ImportedKey(kind: kinds[record.kind].name, key: record.key.text, fingerprint: print)
  }

  /// Writes the entries that waited.
  private mutating func enter(_ tx: Writer) throws {
    let order = kinds.indices.sorted { ExactText(kinds[$0].name) < ExactText(kinds[$1].name) }
    var ranks = kinds.indices.map { $0 }
    for (rank, kind) in order.enumerated() { ranks[kind] = rank }
    entries.sort { $0.record.kind == $1.record.kind ? $0.record.key < $1.record.key : ranks[$0.record.kind] < ranks[$1.record.kind] }
    for (number, entry) in entries.enumerated() {
      if number % 512 == 0 { try checkCancelled() }
      try tx.insert(self.entry(entry.record, entry.print))
    }
    entries = []
  }

  /// A hash of the fields without their place, and one of all fields with the source's identity, which differs for every source.
  private func fingerprints(_ fields: [SourceField]) -> (content: Int64, whole: Int64) {
    var print = Fingerprint()
    for field in fields where !field.isPlace { field.value.combine(into: &print) }
    let content = print.value
    for field in fields where field.isPlace { field.value.combine(into: &print) }
    print.combine(format.origin ?? retry?.origin ?? ImportSource.origin(path: report.source, sha256: report.sourceSHA256))
    return (content, print.value)
  }

  private mutating func pause(_ position: Int) throws {
    try checkCancelled()
    progress.records += 1
    if progress.records % 512 == 1 { tell(position) }
  }

  private func checkCancelled() throws {
    if options.isCancelled() { throw StoreError(.cancelled, "the import was cancelled; the store is as before") }
  }

  private mutating func begin(_ phase: ImportProgress.Phase) {
    progress = ImportProgress(phase: phase, total: format.total)
    phaseBegan = .now
  }

  private mutating func tell(_ position: Int) {
    // The source's lists may be read in another order than they have in the file.
    progress.done = max(progress.done, min(position, format.total))
    let seconds = (ContinuousClock.now - phaseBegan).inSeconds
    progress.recordsPerSecond = seconds > 0 ? Double(progress.records) / seconds : 0
    options.onProgress?(progress)
  }
}

// Outside of the run, whose types would be made anew for each format while it runs.

private struct KindOfRun {
  let name: String
  var counts = ImportReport.Counts()
  /// The first record of each key in this source, to find repetitions.
  var seen: [RecordKey: Int64] = [:]
  /// Whether the store had rows of the kind before the import.
  var hadRows = false
  /// Whether no other kind has the same table.
  var isAlone = false
}

private enum Absence {
  case quarantined
  case deleted
}

private struct Remark {
  var count = 0
  let first: SourcePath
}
