import Foundation
import Holdfast

/// The tables with rows to send, in the order of sending: data that cannot be recreated come first.
enum Outbox: String, Sendable, CaseIterable {
  case telemetry
  case configurations = "configuration"
  case models = "model_metadata"
  /// Sessions are sent before their generations, on the same path.
  case sessions = "generation_sessions"
  case generations
  case preferences = "user_preferences"

  // The same conditions as in the partial indexes.
  static let isPending: BoundSQL = "revision > acknowledged_revision AND revision > set_aside_revision"
  static let isSetAside: BoundSQL = "revision > acknowledged_revision AND revision <= set_aside_revision"

  /// The table's name; also used in the status, in reports and in `sync_tries`.
  var table: String { rawValue }
  /// The kind in the options and in the API's path.
  var kind: SyncedKind { columns.kind }
  /// The column that identifies a row for people and for the server.
  var key: String { columns.key }
  /// The column with the time since which a row waits. With the key it is the order of the index `…_pending`.
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
  /// The greatest number of rows in a request, whatever the batch size.
  var mostRows: Int { self == .configurations ? 1 : DataSyncService.greatestBatch }

  /// A waiting row, as it was read.
  struct Row: Sendable {
    var rowID: Int64
    /// The key, decoded as UTF-8. Writes find the row by `rowID` instead.
    var id: String
    /// The server acknowledges this revision. A later edit has a higher one, and stays pending.
    var revision: Int64
    var place = Place.start
    /// In the form of the API; null when the row cannot be read.
    var element: JSONValue = .null
    /// Why the row cannot be read and is not sent, or why the server refused it; other rows are still sent.
    var problem: String?
    /// Whether its request must not name the sender.
    var isAnonymous = false
  }

  /// A place in the order of waiting rows.
  struct Place: Sendable, Equatable {
    var since: Int64
    /// The bytes of the text: in a damaged store it may not be UTF-8.
    var key: Data

    /// The place before every row.
    static let start = Place(since: .min, key: Data())
  }

  /// The rows after one place, up to another.
  struct Stretch: Sendable, Equatable {
    var after: Place
    var through: Place
    var limit: Int
  }

  // MARK: The cursor

  /// The place after which the next attempt begins; nil for the beginning. Kept in the file, for the next process.
  func cursor(in reader: Reader) throws -> Place? {
    try reader.value("SELECT since, row_key FROM sync_cursors WHERE kind = \(table)") { try Place(&$0) }
  }

  func setCursor(_ place: Place?, in tx: Writer) throws {
    try tx.execute("DELETE FROM sync_cursors WHERE kind = \(table)")
    guard let place else { return }
    try tx.execute("INSERT INTO sync_cursors (kind, since, row_key) VALUES (\(table), \(place.since), \(place.key))")
  }
}
