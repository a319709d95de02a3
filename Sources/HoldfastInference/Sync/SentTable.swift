import Foundation
package import Holdfast

/// A table whose rows are sent.
package struct SentTable: Sendable {
  /// Its name here, in the status, in reports and in `sync_tries`.
  var name: String
  /// The column that names a row to people and to the server.
  var key = "id"
  /// Since when a row waits, by its own time. With the key it is the order of the index of what waits, `…_pending`.
  var since: String

  static let telemetry = SentTable(name: TelemetryEvent.table, since: "occurred_at")
  static let configurations = SentTable(name: ConfigurationRow.table, since: "updated_at")
  static let models = SentTable(name: ModelMetadata.table, since: "updated_at")
  static let sessions = SentTable(name: GenerationSession.table, since: "updated_at")
  static let generations = SentTable(name: Generation.table, since: "created_at")
  static let preferences = SentTable(name: UserPreference.table, key: "name", since: "updated_at")
  static let all = [telemetry, configurations, models, sessions, generations, preferences]

  // As the partial indexes say it.
  package static let isPending: BoundSQL = "revision > acknowledged_revision AND revision > set_aside_revision"
  package static let isSetAside: BoundSQL = "revision > acknowledged_revision AND revision <= set_aside_revision"

  /// A place in the order of what waits.
  struct Place: Sendable, Equatable {
    var since: Int64
    /// Of the text, whatever bytes it has: damage may have left some that are not UTF-8.
    var key: Data

    /// Before every row.
    static let start = Place(since: .min, key: Data())

    init(since: Int64, key: Data) {
      self.since = since
      self.key = key
    }

    init(_ row: inout StoredRow) throws { self.init(since: try row.int64(), key: try row.data()) }

    /// As a value to compare with. The plus takes the cast's affinity away, with which the index would not be used.
    fileprivate var values: BoundSQL { "(\(since), +CAST(\(key) AS TEXT))" }
  }

  /// The rows behind one place, up to another.
  struct Stretch: Sendable {
    var after: Place
    var through: Place
    var limit: Int
  }

  /// Where the last row that waits is; nil when none does. What is recorded or edited meanwhile is behind it, and has its turn in the
  /// next attempt: whoever edits all the time does not keep an attempt going for ever.
  func end(in reader: Reader) throws -> Place? {
    try reader.value(
      """
      SELECT \(sql: place) FROM \(raw: name) WHERE \(sql: Self.isPending) ORDER BY \(raw: since) DESC, \(raw: key) DESC LIMIT 1
      """
    ) { try Place(&$0) }
  }

  // MARK: Where an attempt was given up

  /// Stands in `sync_tries` as a row of no table, tried no time: kept with the file, and for its server only, as all that is there.
  private var givenUpKind: String { "\(name), given up" }

  /// How far the last attempt came when nothing was taken; nil where it came to the end.
  func givenUp(in reader: Reader) throws -> Place? {
    try reader.value("SELECT revision, CAST(row_id AS BLOB) FROM sync_tries WHERE kind = \(givenUpKind)") { try Place(&$0) }
  }

  func giveUp(at place: Place?, in tx: Writer) throws {
    try tx.execute("DELETE FROM sync_tries WHERE kind = \(givenUpKind)")
    guard let place else { return }
    try tx.execute(
      """
      INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at)
      VALUES (\(givenUpKind), CAST(\(place.key) AS TEXT), \(place.since), 0, '', \(tx.currentDate()))
      """)
  }

  private var place: BoundSQL { "\(raw: since), CAST(\(raw: key) AS BLOB)" }
  /// The columns of a `SyncKind.Row`.
  var placed: BoundSQL { "rowid, revision, \(sql: place)" }

  /// Selects columns of the rows that wait in a stretch, in order: read by the index of what waits, however many others there are.
  func waiting(_ stretch: Stretch, _ columns: BoundSQL, where condition: BoundSQL = "true") -> BoundSQL {
    """
    SELECT \(sql: columns) FROM \(raw: name) WHERE \(sql: Self.isPending)
      AND (\(raw: since), \(raw: key)) > \(sql: stretch.after.values)
      AND (\(raw: since), \(raw: key)) <= \(sql: stretch.through.values) AND \(sql: condition)
    ORDER BY \(raw: since), \(raw: key) LIMIT \(stretch.limit)
    """
  }
}
