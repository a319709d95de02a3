import Foundation
import Holdfast
import HoldfastTransfer

/// The SDK's first database, `runanywhere.db`: a row is an id, JSON, and columns for sending it.
///
/// Times in the JSON are seconds since 2001. Times in columns are seconds since 1970, or SQLite's own text in columns that the
/// SDK did not set. The SDK stored some texts from freed memory: if a column differs from the JSON, the difference is reported
/// and the JSON counts, because the SDK read the JSON. Parameters of an unknown kind became NULL. The JSON and a column both
/// say whether a row was sent, and neither is trusted: the server knows an event by its id.
struct BlobScan: InferenceScan {
  static let formatName = "inference-blobs"
  static let kinds = [
    ("configuration", "configuration"), ("secrets", "secrets"), ("model_metadata", "model_metadata"),
    ("generation_sessions", "generation_sessions"), ("generations", "generations"), ("generation_history", "generations"),
    ("telemetry", "telemetry"), ("user_preferences", "user_preferences"),
  ].map { (name: $0.0, table: $0.1) }

  private let database: InferenceDatabase
  private var sessions = Parents<UUID, Void>("session")

  init(_ database: InferenceDatabase) { self.database = database }

  /// The newest shape of a configuration in the database, 1 to 4; 0 without one.
  static func version(of source: SQLiteSource) throws -> Int {
    var version = 0
    try source.rows(of: "configuration", only: ["data"]) { row in
      guard case .object(let object)? = BlobRow.json(row).value else { return }
      version = max(version, ConfigurationShape(object).rawValue)
    }
    return version
  }

  static func keys(in source: SQLiteSource) throws -> APIKeyRecord.Found {
    var found = APIKeyRecord.Found.nothing
    try source.rows(of: "configuration") { row in
      // Only the second database has a column for the key.
      if !APIKeyRecord.columns(of: row).isEmpty { found = .unreadable }
      guard let object = object(of: row).value else {
        found = .unreadable
        return
      }
      guard let key = separated(object).key else { return }
      if case .string = key { found = max(found, .keys) } else { found = .unreadable }
    }
    return found
  }

  /// The members of a configuration; nil with the reason when it is unclear whether they contain a key.
  private static func object(of row: SQLiteRow) -> (value: [String: JSONValue]?, problem: String) {
    let (value, problem) = BlobRow.json(row)
    guard case .object(let object)? = value else { return (nil, problem ?? "data should be an object") }
    switch object["settings"] {
    case nil, .null, .object: return (object, "")
    default: return (nil, "settings should be an object")
    }
  }

  mutating func run(_ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    let tables = database.tables
    try tables.rows(of: "configuration") { try configuration($0, reader, visit) }
    try tables.rows(of: "model_metadata") { row in
      guard var blob = try blob(row, "model_metadata", visit) else { return }
      blob.members.pair("thinkingOpenTag", "thinkingCloseTag", as: "thinkingTags")
      if !blob.members.has("createdAt") {
        let known = ["downloadedAt", "updatedAt"].map(blob.members.value).first { $0 != .null }
        blob.members.set("createdAt", known ?? .null)
      }
      _ = try take(&blob, ModelFields.table(ModelFields.json), .blank, visit)
    }
    try tables.rows(of: "generation_sessions") { try session($0, visit) }
    try tables.rows(of: "generations") { try generation($0, "generations", reader, visit) }
    try tables.rows(of: "generation_history") { try generation($0, "generation_history", reader, visit) }
    let events = try TelemetryFields.table(TelemetryFields.json, in: reader)
    try tables.rows(of: "telemetry") { row in
      guard var blob = try blob(row, "telemetry", visit) else { return }
      _ = try take(&blob, events, .blank, visit)
    }
    try tables.rows(of: "user_preferences") { try preference($0, visit) }
  }

  private func configuration(_ row: SQLiteRow, _ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    let row = APIKeyRecord.masked(row)
    let (value, problem) = Self.object(of: row)
    guard let object = value else {
      return try visit(
        .damaged(
          kind: "configuration", path: row.path, reason: "\(problem); it may contain the API key, so only the source keeps it",
          original: row.with(["data": APIKeyRecord.leftOut]).original), row.position)
    }
    let (key, rest) = Self.separated(object)
    let clean = key == nil ? row : row.with(["data": .text(JSONValue.object(rest).canonicalText())])
    let shape = ConfigurationShape(rest)
    var blob = BlobRow(clean, shape.members(rest))
    let text: String? = if case .string(let text)? = key { text } else { nil }
    if key != nil, text == nil { blob.members.tell("apiKey", "apiKey should be a text; it is left out", .bytes([])) }
    if !blob.members.has("createdAt") { blob.members.set("createdAt", blob.members.value("updatedAt")) }
    let id = blob.members.text("id")
    let table = try ConfigurationFields.table(shape.fields, of: id, in: reader)
    let stored = try take(&blob, table, database.blank(of: id, hasKey: text != nil), visit)
    try APIKeyRecord.visit(text, of: stored?.id, database.sealing, in: row, visit)
  }

  /// The API's key, if the shape has one, and the object without it. An empty text counts as no key.
  private static func separated(_ object: [String: JSONValue]) -> (key: JSONValue?, rest: [String: JSONValue]) {
    var rest = object
    var keys = [rest.removeValue(forKey: "apiKey")]
    if case .object(var settings)? = rest["settings"] {
      keys.append(settings.removeValue(forKey: "apiKey"))
      rest["settings"] = .object(settings)
    }
    return (keys.compactMap { $0 }.first { ![.null, .string("")].contains($0) }, rest)
  }

  private mutating func session(_ row: SQLiteRow, _ visit: InferenceDatabase.Visit) throws {
    guard var blob = try blob(row, "generation_sessions", visit) else {
      if let id = row.text("id").flatMap(IDCodec.parse) { sessions.add(id, nil) }
      return
    }
    blob.column("model_id", for: "modelId")
    blob.column("session_type", for: "sessionType")
    blob.time("created_at", for: "startTime")
    if !blob.members.has("updatedAt") { blob.members.set("updatedAt", blob.members.value("startTime")) }
    let id = blob.members.text("id").flatMap(IDCodec.parse)
    let stored = try take(&blob, HistoryFields.sessions(HistoryFields.jsonSessions), .blank, visit)
    if let id { sessions.add(id, stored.map { _ in }) }
  }

  /// A row of the history is a generation if it has all required values.
  private func generation(_ row: SQLiteRow, _ table: String, _ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    guard var blob = try blob(row, table, nested: ["performance"], visit) else { return }
    blob.column("session_id", for: "sessionId")
    blob.column("sequence_number", for: "sequenceNumber")
    blob.time("created_at", for: "timestamp")
    // A generation has no time of change.
    blob.members.remove("updatedAt")
    let session = blob.members.text("sessionId").flatMap(IDCodec.parse)
    if let session, let reason = try InferenceDatabase.absence(of: session, sessions, in: reader) { blob.members.fail(reason) }
    // A generation in both tables is one record; a row that is not a generation is counted in its own table.
    _ = try take(&blob, HistoryFields.generations(HistoryFields.jsonGenerations), .blank) { scanned, position in
      guard case .damaged(_, _, let path, let reason, let original) = scanned else { return try visit(scanned, position) }
      try visit(.damaged(kind: table, path: path, reason: reason, original: original), position)
    }
  }

  private func preference(_ row: SQLiteRow, _ visit: InferenceDatabase.Visit) throws {
    let (value, problem) = BlobRow.json(row)
    guard let value else {
      return try visit(
        .damaged(kind: "user_preferences", path: row.path, reason: problem ?? "it cannot be read", original: row.original), row.position)
    }
    // The name comes from the column; the JSON may be of any kind.
    var object: [String: JSONValue] = [:]
    if case .object(let members) = value { object = members.filter { $0.key == "updatedAt" } }
    var blob = BlobRow(row, SourceMembers(object))
    blob.members.set("name", blob.members.remove("id"))
    if case .string(let text) = SourceMembers.value(row, "data") { blob.members.set("value", .string(text)) }
    _ = try take(&blob, TelemetryFields.preferenceTable(TelemetryFields.preferences), .blank, visit)
  }

  // MARK: Small pieces

  /// The row's object; a row without an object is reported.
  private func blob(
    _ row: SQLiteRow, _ kind: String, nested: [String] = [], _ visit: InferenceDatabase.Visit
  ) throws -> BlobRow? {
    let (value, problem) = BlobRow.json(row)
    if case .object(let object)? = value { return BlobRow(row, SourceMembers(object, nested: nested)) }
    let reason = problem ?? "data should be an object"
    try visit(.damaged(kind: kind, path: row.path, reason: reason, original: row.original), row.position)
    return nil
  }

  private func take<Row>(
    _ blob: inout BlobRow, _ table: LegacyTable<Row>, _ blank: Row, _ visit: InferenceDatabase.Visit
  ) throws -> Row? {
    blob.tellUnknownColumns()
    return try table.visit(&blob.members, of: blob.row, into: blank, visit)
  }
}

/// One row: the members of its JSON, completed from its columns.
private struct BlobRow {
  let row: SQLiteRow
  var members: SourceMembers
  private var known: Set = ["data"]

  /// Takes the values that every table has.
  init(_ row: SQLiteRow, _ members: SourceMembers) {
    self.row = row
    self.members = members
    column("id", for: "id")
    time("updated_at", for: "updatedAt")
    // Drops both marks of sending.
    known.insert("sync_pending")
    self.members.remove("syncPending")
  }

  /// The JSON in `data`; nil with the reason when there is none.
  static func json(_ row: SQLiteRow) -> (value: JSONValue?, problem: String?) {
    switch SourceMembers.value(row, "data") {
    case .null: return (nil, "data is missing")
    case .string(let text):
      var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
      do {
        let value = try scanner.value()
        try scanner.finish()
        return (value, nil)
      } catch {
        // The text itself is not in the reason: it may be private.
        return (nil, "data is no JSON from its byte \(error.offset) on")
      }
    case SourceMembers.unreadable: return (nil, "data is not text in UTF-8")
    default: return (nil, "data should be a text")
    }
  }

  /// Compares a column with its member; the column fills in a missing member.
  mutating func column(_ column: String, for member: String) {
    known.insert(column)
    let value = SourceMembers.value(row, column)
    guard value != .null else { return }
    let stands = members.value(member)
    guard stands != .null else {
      if value == SourceMembers.unreadable { return members.tell(column, "\(column) is not text in UTF-8", row.original(column)) }
      return members.set(member, value)
    }
    // Ids are equal in either case; other words are not.
    if case .string(let one) = value, case .string(let other) = stands, let id = IDCodec.parse(one), id == IDCodec.parse(other) { return }
    if value != stands { members.tell(column, "\(column) differs from the JSON in its row", row.original(column)) }
  }

  /// A time in a column fills in a missing member; if both exist, they may differ.
  mutating func time(_ column: String, for member: String) {
    known.insert(column)
    let value = SourceMembers.value(row, column)
    guard value != .null else { return }
    // Seconds since 1970, or SQLite's own text in a column that the SDK did not set. The JSON has seconds since 2001.
    guard let time = (ValueForm.since1970.read(value) ?? ValueForm.sqlText.read(value)).map({ ValueForm.since2001.text(of: $0.value) })
    else {
      return members.tell(column, "\(column) is no time", row.original(column))
    }
    if !members.has(member) { members.set(member, time) }
  }

  mutating func tellUnknownColumns() {
    for column in row.columns where !known.contains(SQLiteSource.lowercased(column)) && row.value(column) != .null {
      members.tell(column, "this field is not known", row.original(column))
    }
  }
}
