/// What an integrity check found, by part. No finding: healthy.
public struct IntegrityReport: Sendable, Codable, Equatable {
  /// The part of the check.
  public enum Part: String, Sendable, Codable, CaseIterable {
    /// What stands beside the file: a log that is damaged, of another file or without its file; a restore that was interrupted.
    case files
    /// SQLite's own check of pages, indexes and constraints.
    case file
    /// Rows that point at rows that are gone.
    case foreignKeys = "foreign_keys"
    /// A full-text index against the text that it indexes.
    case fullText = "full_text"
    /// The objects in the file against the declared schema.
    case schema
    /// Rows that cannot be read as the records of the library: a date or an id that is none, text that is not UTF-8.
    case records
    /// What the library says must hold.
    case invariants

    static func < (one: Part, other: Part) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// One thing that is not as it should be.
  public struct Finding: Sendable, Codable, Equatable {
    /// The check that found it.
    public var part: Part
    /// The table it is about; nil when SQLite does not tell.
    public var table: String?
    /// Which row: its id, its rowid, or what the invariant names; nil when it is about the whole table.
    public var row: String?
    /// A sentence.
    public var message: String
  }

  /// In the order of the parts.
  public var findings: [Finding]
  /// The parts that ran, in order.
  public var checked: [Part]
  /// True when nothing was found.
  public var isHealthy: Bool { findings.isEmpty }
}
