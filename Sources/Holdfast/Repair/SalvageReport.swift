public import Foundation

/// What a salvage brought back, and what it could not place.
public struct SalvageReport: Sendable, Equatable, Codable {
  /// Where the tables' definitions came from.
  public enum Origin: String, Sendable, Codable {
    /// The damaged file itself.
    case file
    /// The file; for definitions that are damaged in the file, the given schemas or the copy that a healing fills from.
    case fileAndSchemas = "file_and_schemas"
    /// The given schemas, or that copy: no definition in the file can be read.
    case schemas
  }

  /// The rows of one table.
  public struct Table: Sendable, Equatable, Codable {
    /// The table's name.
    public var table: String
    /// The rows that came in.
    public var rows = 0
    /// Rows on pages that the table no longer leads to, recognised by their columns. Some may then be set aside, as orphans.
    public var found = 0
    /// How many of `rows` were on lost pages, and came from a snapshot or the archive (in `Store.heal(at:schemas:options:trustsArchive:)`),
    /// or from the table's audit, if the given schemas declare one.
    public var filled = 0
    /// How many of `filled` came from the audit: whole rows, and later changes of rows in a copy.
    public var audited = 0
    /// The rows that are gone: an intact index names them, and they neither came in nor were set aside. 0 if the table has lost no page;
    /// nil if it has, or its first page is unknown, and no index is intact. A lower bound for a table without rowids.
    public var lost: Int? = 0
    /// The rows that are in `setAside`: another row has their key, a row that they point at is gone, or several tables fit them.
    public var setAside = 0
  }

  /// One entry for each table of the app and the kit.
  public internal(set) var tables: [Table] = []
  /// The pages of the damaged file and of its log.
  public internal(set) var pages = 0
  /// How many of `pages` came from the log.
  public internal(set) var pagesOfLog = 0
  /// Cells of table pages whose bytes are no row.
  public internal(set) var unreadableRows = 0
  /// Pages with rows that fit no table.
  public internal(set) var unknownPages = 0
  /// Tables whose pages were not found, and whose first page is unknown: they were empty, or all of their rows are lost.
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
