public import Foundation

/// What a salvage brought back, and what it could not place.
public struct SalvageReport: Sendable, Equatable, Codable {
  /// Where the tables' definitions came from.
  public enum Origin: String, Sendable, Codable {
    /// The damaged file itself.
    case file
    /// The file, and for objects that it does not tell unchanged any more the schemas that were given, or the copy that a healing fills from.
    case fileAndSchemas = "file_and_schemas"
    /// The schemas that were given, or that copy: the file tells none.
    case schemas
  }

  /// The rows of one table.
  public struct Table: Sendable, Equatable, Codable {
    /// The table's name.
    public var table: String
    /// The rows that came in.
    public var rows = 0
    /// How many stood on pages to which the table leads no more: they were recognised by their columns. With those of them that were then
    /// set aside because they point at a row that is gone.
    public var found = 0
    /// How many of `rows` stood on lost pages, and came from a snapshot or the archive, in `Store.heal(at:schemas:options:trustsArchive:)`, or
    /// from the audit of the table, where the schemas that were given declare one.
    public var filled = 0
    /// How many of `filled` the audit told: whole, or what changed in a copy's row since.
    public var audited = 0
    /// The rows that are gone: those that a whole index of the table names, and that neither came in nor were set aside. 0 where the table has
    /// lost no page; nil where it has, or nothing tells where it stood, and no index is whole. At least as many, where the table has no
    /// rowids.
    public var lost: Int? = 0
    /// The rows that did not come in: another row has their key, a row that they point at is gone, or several tables fit them. They are in
    /// `setAside`.
    public var setAside = 0
  }

  /// One entry for each table of the app and the kit.
  public internal(set) var tables: [Table] = []
  /// The pages of the damaged file, with those of its log.
  public internal(set) var pages = 0
  /// How many of them came from the log.
  public internal(set) var pagesOfLog = 0
  /// Places of rows at which stand bytes that are no row.
  public internal(set) var unreadableRows = 0
  /// Pages with rows that fit no table.
  public internal(set) var unknownPages = 0
  /// Tables of which nothing tells where they stood, and no page was found: they were empty, or all of their rows are lost.
  public internal(set) var unplaced: [String] = []
  /// Where the tables' definitions came from.
  public internal(set) var origin = Origin.file
  /// The file with the rows that were set aside, one JSON object a line, or the encrypted database with them; nil when there are none.
  public internal(set) var setAside: URL?
  /// What the checks of the new store found, one sentence each. Empty: it opens, and is sound.
  public internal(set) var findings: [String] = []

  package init() {}

  /// How the finding begins that the new store does not open.
  static let notOpening = "the new store does not open: "

  /// All rows that came in.
  public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
