import Foundation
package import Holdfast

/// The rows of one table that wait to be sent. The tables are sent in this order: what cannot be made again comes first.
package enum Outbox: String, Sendable, CaseIterable {
  case telemetry
  case configurations = "configuration"
  case models = "model_metadata"
  /// Sessions go before their generations, on the same path.
  case sessions = "generation_sessions"
  case generations
  case preferences = "user_preferences"

  // As the partial indexes say it.
  package static let isPending: BoundSQL = "revision > acknowledged_revision AND revision > set_aside_revision"
  package static let isSetAside: BoundSQL = "revision > acknowledged_revision AND revision <= set_aside_revision"

  /// The table's name, also in the status, in reports and in `sync_tries`.
  var table: String { rawValue }
  /// What the options and the path of the API call it.
  var kind: SyncedKind { columns.kind }
  /// The column that names a row to people and to the server.
  var key: String { columns.key }
  /// The column that says since when a row waits. With the key it is the order of the index `…_pending`.
  var since: String { columns.since }

  private var columns: (kind: SyncedKind, key: String, since: String) {
    switch self {
    case .telemetry: (.telemetry, "id", "occurred_at")
    case .configurations: (.configuration, "id", "updated_at")
    case .models: (.models, "id", "updated_at")
    case .sessions: (.history, "id", "updated_at")
    case .generations: (.history, "id", "created_at")
    case .preferences: (.preferences, "name", "updated_at")
    }
  }

  var path: String { "/v1/sync/\(kind.rawValue)" }
  /// To a request, whatever the batch size.
  var mostRows: Int { self == .configurations ? 1 : DataSyncService.greatestBatch }

  /// A row that waits, as it was when it was read.
  struct Row: Sendable {
    var rowID: Int64
    /// As far as it is UTF-8: what is changed of a row is found by `rowID`.
    var id: String
    /// What the server acknowledges: an edit made meanwhile has a higher one, and stays pending.
    var revision: Int64
    var place = Place.start
    /// In the wire's form; null where it cannot be read.
    var element: JSONValue = .null
    /// Why it cannot be read, and is not sent: it keeps no other from being sent.
    var problem: String?
    /// Whether its request must not say who sends it.
    var isAnonymous = false
  }

  /// A place in the order of what waits.
  struct Place: Sendable, Equatable {
    var since: Int64
    /// Of the text, whatever bytes it has: damage may have left some that are not UTF-8.
    var key: Data

    /// Before every row.
    static let start = Place(since: .min, key: Data())
  }

  /// The rows behind one place, up to another.
  struct Stretch: Sendable, Equatable {
    var after: Place
    var through: Place
    var limit: Int
  }

  // MARK: The cursor

  /// Behind which row the next attempt begins; nil: with the first. Kept in the file, for the next process.
  func cursor(in reader: Reader) throws -> Place? {
    try reader.value("SELECT since, row_key FROM sync_cursors WHERE kind = \(table)") { try Place(&$0) }
  }

  func setCursor(_ place: Place?, in tx: Writer) throws {
    try tx.execute("DELETE FROM sync_cursors WHERE kind = \(table)")
    guard let place else { return }
    try tx.execute("INSERT INTO sync_cursors (kind, since, row_key) VALUES (\(table), \(place.since), \(place.key))")
  }
}
