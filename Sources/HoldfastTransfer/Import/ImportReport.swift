import Foundation
import Holdfast

/// What became of every record of a source.
public struct ImportReport: Sendable, Codable, Equatable {
  /// One kind of record. The last four add up to `source`.
  public struct Counts: Sendable, Codable, Equatable {
    /// Records of this kind in the source.
    public var source = 0
    /// New in the store.
    public var imported = 0
    /// In the store already, and replaced by the source's newer one.
    public var merged = 0
    /// Left as the store has them; the report says why.
    public var skipped = 0
    /// Not imported; kept with their original bytes.
    public var quarantined = 0

    /// All zero.
    public init() {}

    /// Whether the four counts make up the source's. An import whose counts do not is rolled back.
    public var addsUp: Bool { imported + merged + skipped + quarantined == source }
  }

  /// A record, or a field of one, that was kept out, with the reason. Its original bytes are in the store's quarantine.
  public struct Problem: Sendable, Codable, Equatable {
    /// The kind of record, as in `counts`.
    public var kind: String
    /// Nil: the whole record.
    public var field: String?
    /// Where it stands in the source, for example `$.collections[3].tracks[5]`.
    public var path: String
    /// A sentence for people.
    public var reason: String
  }

  /// The name of the format that was recognised.
  public var format: String
  /// The version that the source says it has.
  public var formatVersion: Int
  /// The path of the file that was read.
  public var source: String
  /// Of the source's bytes, in hexadecimal.
  public var sourceSHA256: String
  /// Every record that was imported was read back and compared with the source.
  public var verified: Bool
  /// Nothing was written: this says what would be.
  public var dryRun: Bool
  /// The copy of the source; nil for a dry run, and where none is kept: of the beginning of a file, and where `notes` say why.
  public var backup: String?
  /// By kind.
  public var counts: [String: Counts]
  /// The kinds in the order of the format.
  public var kinds: [String]
  /// Why records were skipped: how many for each reason.
  public var skipped: [String: Int]
  /// What is to be said of records that were imported: of how many each. Nil: nothing.
  public var notes: [String: Int]?
  /// How many records and fields of an earlier import came in and left the quarantine; nil where none were tried again.
  public var released: Int?
  /// What was quarantined: the first 1,000; the store's quarantine has all.
  public var problems: [Problem]
  /// All of them, also those that `problems` does not list any more.
  public var problemCount: Int

  enum CodingKeys: String, CodingKey {
    case format, source, verified, backup, counts, kinds, skipped, notes, released, problems
    case formatVersion = "format_version"
    case sourceSHA256 = "source_sha256"
    case dryRun = "dry_run"
    case problemCount = "problem_count"
  }

  /// Nothing was quarantined.
  public var isClean: Bool { problemCount == 0 }

  /// The report as a table for a person.
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
    for (reason, count) in skipped.sorted(by: { $0.key < $1.key }) { lines.append("skipped \(count): \(reason)") }
    for (note, count) in (notes ?? [:]).sorted(by: { $0.key < $1.key }) { lines.append("noted \(count): \(note)") }
    for problem in problems.prefix(20) {
      lines.append("quarantined \(problem.path)\(problem.field.map { ".\($0)" } ?? ""): \(problem.reason)")
    }
    if problemCount > 20 { lines.append("… and \(problemCount - 20) more in quarantine") }
    if let released { lines.append("\(released) \(released == 1 ? "record or field" : "records and fields") left the quarantine") }
    lines.append(
      dryRun
        ? "dry run: nothing was written; what would be was verified"
        : verified ? "verified: everything that was imported was read back and equals the source" : "not verified")
    if let backup { lines.append("the source is kept as \(backup)") }
    return lines.joined(separator: "\n")
  }
}
