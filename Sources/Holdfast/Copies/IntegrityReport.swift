/// The findings of an integrity check. No findings: the store is healthy.
public struct IntegrityReport: Sendable, Codable, Equatable {
  /// The parts of an integrity check.
  public enum Part: String, Sendable, Codable, CaseIterable {
    /// The files beside the store: a damaged log, a log of another file or without its file; the archive, by `Archive.verify()`.
    case files
    /// SQLite's own check of pages, indexes and constraints.
    case file
    /// Rows that refer to missing rows.
    case foreignKeys = "foreign_keys"
    /// Full-text indexes, compared with the indexed text.
    case fullText = "full_text"
    /// The objects in the file, compared with the declared schema.
    case schema
    /// Rows that cannot be read as the library's records: an invalid date or id, text that is not UTF-8.
    case records
    /// Values of tables whose library this program does not know, compared with the kinds that the file tells: a date that is none, text
    /// that is not JSON.
    case kinds
    /// The library's declared invariants, and the chain of the audit.
    case invariants
  }

  /// One problem that the check found.
  public struct Finding: Sendable, Codable, Equatable {
    /// The part of the check.
    public var part: Part
    /// The table with the problem; nil when SQLite does not name it.
    public var table: String?
    /// The row: its id, its rowid, or the invariant's name for it; nil for a problem of the whole table.
    public var row: String?
    /// One sentence for people.
    public var message: String

    package init(part: Part, table: String? = nil, row: String? = nil, message: String) {
      (self.part, self.table, self.row, self.message) = (part, table, row, message)
    }
  }

  /// The findings, in the order of the parts.
  public var findings: [Finding]
  /// The parts that were checked, in order.
  public var checked: [Part]
  /// The libraries of the file whose records were not read, because their schemas were not given; sorted.
  public var unread: [String] = []
  /// Whether there are no findings.
  public var isHealthy: Bool { findings.isEmpty }
}
