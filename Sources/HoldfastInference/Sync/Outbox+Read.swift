import Foundation
import Holdfast

extension Outbox {
  /// The state of a table when its turn begins.
  struct Opening: Sendable {
    /// The place where the last turn was given up.
    var cursor: Place?
    /// The place of the last waiting row. Rows recorded or edited later are behind it, and are sent in the next attempt: so
    /// constant edits cannot keep an attempt going forever.
    var end: Place
    /// The rowids of at most two rows that were set aside.
    var setAside: [Int64] = []
  }

  /// Nil when no row waits.
  func opening(in reader: Reader) throws -> Opening? {
    let end = try reader.value(
      "SELECT \(sql: place) FROM \(raw: table) WHERE \(sql: Self.isPending) ORDER BY \(raw: since) DESC, \(raw: key) DESC LIMIT 1"
    ) { try Place(&$0) }
    let setAside: BoundSQL = """
      SELECT (SELECT rowid FROM \(raw: table) WHERE \(raw: key) = row_id) FROM sync_tries
      WHERE kind = \(table) AND tries >= \(DataSyncService.mostTries) LIMIT 2
      """
    guard let end else { return nil }
    return Opening(cursor: try cursor(in: reader), end: end, setAside: try reader.values(setAside) { try $0.int64OrNil() ?? 0 })
  }

  /// The waiting rows of a stretch that may be sent. Each call reads the consent again. With limited consent, only telemetry
  /// may be sent, without the properties that consent excludes.
  func rows(in stretch: Stretch, _ secretProperties: SecretProperties, _ reader: Reader) throws -> [Row] {
    guard var filter = try TelemetryFilter(secretProperties, in: reader), self == .telemetry || !filter.isLimited else { return [] }
    switch self {
    case .telemetry:
      var rows = try rows(of: TelemetryEvent.self, in: stretch, where: filter.admittedTypes, reader) { event in
        var admitted = event
        guard try filter.admit(&admitted) else { throw StoreError(.invalidValue, "the person's consent does not allow sending it") }
        return SyncWire.event(admitted)
      }
      for place in rows.indices { rows[place].isAnonymous = filter.isLimited }
      return rows
    case .configurations: return try configurations(in: stretch, reader)
    case .models: return try rows(of: ModelMetadata.self, in: stretch, reader, SyncWire.model)
    case .sessions: return try rows(of: GenerationSession.self, in: stretch, reader, SyncWire.session)
    case .generations:
      // Only generations whose session the server has.
      let isKnown: BoundSQL = "EXISTS (SELECT 1 FROM generation_sessions s WHERE s.id = session_id AND s.acknowledged_revision > 0)"
      return try rows(of: Generation.self, in: stretch, where: isKnown, reader, SyncWire.generation)
    case .preferences:
      return try rows(of: UserPreference.self, in: stretch, reader) { preference in
        // Another program or an import may have stored it.
        try InferenceStore.checkNotSecret(preference.name, filter.secretProperties)
        return SyncWire.preference(preference)
      }
    }
  }

  private func rows<Record: StoredRecord>(
    of type: Record.Type, in stretch: Stretch, where condition: BoundSQL = "true", _ reader: Reader,
    _ element: (Record) throws -> JSONValue
  ) throws -> [Row] {
    var rows: [Row] = []
    try reader.rows(waiting(stretch, "\(sql: placed), \(columns: Record.self)", where: condition), of: table) { row in
      var made = try Row(&row)
      try made.read { try element(try Record(row: &row)) }
      rows.append(made)
    }
    return rows
  }

  /// Each configuration is read from several tables.
  private func configurations(in stretch: Stretch, _ reader: Reader) throws -> [Row] {
    var rows = try reader.values(waiting(stretch, placed)) { try Row(&$0) }
    for place in rows.indices {
      let id = rows[place].id
      try rows[place].read {
        guard let configuration = try InferenceStore.configuration(id, in: reader) else {
          throw StoreError(.decoding, "its id is not UTF-8 text")
        }
        return SyncWire.envelope(configuration)
      }
    }
    return rows
  }

  private var place: BoundSQL { "\(raw: since), CAST(\(raw: key) AS BLOB)" }
  /// The columns of a `Row`.
  private var placed: BoundSQL { "rowid, revision, \(sql: place)" }

  /// Selects columns of the waiting rows of a stretch, in order. Uses the index of waiting rows, however many other rows there are.
  private func waiting(_ stretch: Stretch, _ columns: BoundSQL, where condition: BoundSQL = "true") -> BoundSQL {
    """
    SELECT \(sql: columns) FROM \(raw: table) WHERE \(sql: Self.isPending)
      AND (\(raw: since), \(raw: key)) > \(sql: stretch.after.values)
      AND (\(raw: since), \(raw: key)) <= \(sql: stretch.through.values) AND \(sql: condition)
    ORDER BY \(raw: since), \(raw: key) LIMIT \(stretch.limit)
    """
  }
}

extension Outbox.Row {
  /// Reads the columns of `placed`.
  fileprivate init(_ row: inout StoredRow) throws {
    rowID = try row.int64()
    revision = try row.int64()
    place = try Outbox.Place(&row)
    id = String(decoding: place.key, as: UTF8.self)
  }

  fileprivate mutating func read(_ read: () throws -> JSONValue) throws {
    do { element = try read() } catch let error as StoreError where error.code == .decoding || error.code == .invalidValue {
      problem = error.message
    }
  }
}

extension Outbox.Place {
  init(_ row: inout StoredRow) throws { self.init(since: try row.int64(), key: try row.data()) }

  /// The place as a value for a comparison. The plus removes the cast's affinity, with which SQLite would not use the index.
  fileprivate var values: BoundSQL { "(\(since), +CAST(\(key) AS TEXT))" }
}
