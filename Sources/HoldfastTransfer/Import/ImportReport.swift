public import Foundation
import Holdfast

/// The result of an import, with the outcome of every record of the source.
public struct ImportReport: Sendable, Codable, Equatable {
  /// The outcomes for one kind of record. The last four numbers add up to `source`.
  public struct Counts: Sendable, Codable, Equatable {
    /// Records of this kind in the source.
    public var source = 0
    /// Records that were new in the store.
    public var imported = 0
    /// Records that the store had, and that were updated because the source's were newer.
    public var merged = 0
    /// Records that were not written; the report says why.
    public var skipped = 0
    /// Records that were not imported; their original bytes are kept.
    public var quarantined = 0

    /// Makes counts of zero.
    public init() {}

    /// Whether the four counts add up to `source`. If they do not, the import is rolled back.
    public var addsUp: Bool { imported + merged + skipped + quarantined == source }
  }

  /// A record or field that was not imported, with the reason. Its original bytes are in the store's quarantine.
  public struct Problem: Sendable, Codable, Equatable {
    /// The kind of record, as in `counts`.
    public var kind: String
    /// The field's name; nil: the whole record.
    public var field: String?
    /// The place in the source, for example `$.collections[3].tracks[5]`.
    public var path: String
    /// A sentence for people.
    public var reason: String
  }

  /// A record that was skipped because the store's is newer, or may be: it has changed since, and no time tells which one is newer.
  public struct Newer: Sendable, Codable, Equatable {
    /// The kind of record, as in `counts`.
    public var kind: String
    /// The place in the source.
    public var path: String
    /// The time of the source's last change. Nil when the source or the store does not know its time.
    public var source: Date?
    /// The time of the store's last change. Nil when the source or the store does not know its time.
    public var store: Date?

    /// The reason under which `skipped` counts such records.
    public static let reason = "the store is newer"

    init(kind: String, path: String) { (self.kind, self.path) = (kind, path) }

    init<Content>(_ record: SourceRecord<Content>, _ stored: StoredShape) {
      self.init(kind: record.kind, path: record.path.description)
      guard let mine = record.modifiedAt, let theirs = stored.modifiedAt else { return }
      (source, store) = (DateCodec.date(milliseconds: mine), DateCodec.date(milliseconds: theirs))
    }

    var words: String {
      guard let source, let store else { return path }
      return "\(path), of \(Self.text(source)) in the source and \(Self.text(store)) in the store"
    }

    private static func text(_ time: Date) -> String { DateCodec.milliseconds(time).map { DateCodec.iso8601($0, fraction: true) } ?? "" }
  }

  /// The name of the format that was recognised.
  public var format: String
  /// The format's version according to the source.
  public var formatVersion: Int
  /// The path of the file that was read.
  public var source: String
  /// The SHA-256 of the source's bytes, in lowercase hexadecimal.
  public var sourceSHA256: String
  /// Whether every imported record was read back and compared with the source.
  public var verified = false
  /// Whether nothing was written: then the report describes what an import would do.
  public var dryRun: Bool
  /// The path of the copy of the source. Nil for a dry run, without `keepsCopy`, for the beginning of a file, and when `notes` give the
  /// reason.
  public var backup: String?
  /// The counts by kind of record.
  public var counts: [String: Counts] = [:]
  /// The kinds in the order of the format.
  public var kinds: [String]
  /// The reasons for skipping records, with the number of records for each.
  public var skipped: [String: Int] = [:]
  /// The first record that was skipped because the store is newer. Nil: none was.
  public var firstNewer: Newer?
  /// Notes about imported data, with the number of records for each. They are no problems. A note that a format gives about places in the
  /// source names the first. Nil: none.
  public var notes: [String: Int]?
  /// The time zone in which local times were read, such as `Europe/Berlin`; nil where the source has none.
  public var timeZone: String?
  /// The number of records and fields that left the quarantine because they were imported now; nil when none were tried again.
  public var released: Int?
  /// The quarantined records and fields: at most the first 1,000. The store's quarantine has all.
  public var problems: [Problem] = []
  /// The number of all quarantined records and fields.
  public var problemCount = 0

  enum CodingKeys: String, CodingKey {
    case format, source, verified, backup, counts, kinds, skipped, notes, released, problems
    case firstNewer = "first_newer"
    case formatVersion = "format_version"
    case sourceSHA256 = "source_sha256"
    case dryRun = "dry_run"
    case timeZone = "time_zone"
    case problemCount = "problem_count"
  }

  /// Whether nothing was quarantined.
  public var isClean: Bool { problemCount == 0 }

  mutating func note(_ text: String, count: Int = 1) { notes = (notes ?? [:]).merging([text: count], uniquingKeysWith: +) }

  /// The report as a table for people.
  public var text: String {
    var lines = ["\(format) version \(formatVersion): \(source)"]
    let width = max(15, (kinds.map(\.count).max() ?? 0))
    func cell(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
    func row(_ name: String, _ cells: [String]) -> String {
      name + String(repeating: " ", count: max(0, width - name.count)) + cells.map { cell($0, 12) }.joined()
    }
    lines.append(row("", ["source", "imported", "merged", "skipped", "quarantined"]))
    for kind in kinds {
      let counts = counts[kind] ?? Counts()
      lines.append(
        row(kind, [counts.source, counts.imported, counts.merged, counts.skipped, counts.quarantined].map(String.init)))
    }
    for (reason, count) in skipped.sorted(by: { $0.key < $1.key }) {
      let first = reason == Newer.reason ? firstNewer.map { " (first: \($0.words))" } : nil
      lines.append("skipped \(count): \(reason)\(first ?? "")")
    }
    for (note, count) in (notes ?? [:]).sorted(by: { $0.key < $1.key }) { lines.append("noted \(count): \(note)") }
    for problem in problems.prefix(20) {
      lines.append("quarantined \(problem.path)\(problem.field.map { ".\($0)" } ?? ""): \(problem.reason)")
    }
    if problemCount > 20 { lines.append("… and \(problemCount - 20) more in quarantine") }
    if let released { lines.append("\(released) \(released == 1 ? "record or field" : "records and fields") left the quarantine") }
    lines.append(
      dryRun
        ? "dry run: nothing was written; the import was tried and verified"
        : verified ? "verified: everything that was imported was read back and equals the source" : "not verified")
    if let backup { lines.append("the source is kept as \(backup)") }
    return lines.joined(separator: "\n")
  }
}
