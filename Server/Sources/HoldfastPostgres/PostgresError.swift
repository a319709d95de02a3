public import HoldfastSyncServer

/// What the database did not do, and why.
///
/// PostgreSQL's details and hints, in which values of rows are, it does not have.
public struct PostgresError: LoggableError, Sendable {
  /// What a program can do about it.
  public enum Kind: Sendable {
    /// The database cannot be reached now, does not exist, or is in recovery. Nothing is known of a commit under way. Try again later.
    case unavailable
    /// The database does not let this user in, or not do this.
    case refused
    /// The database has another schema than this program needs.
    case wrongSchema
    /// Anything else that PostgreSQL said.
    case failed
  }

  /// What a program can do about it.
  public let kind: Kind
  /// PostgreSQL's code of five characters; nil when PostgreSQL did not answer.
  public let state: String?
  /// What went wrong, in PostgreSQL's own words where it answered.
  public let message: String
  /// What a person can do, if it is known.
  public let suggestion: String?

  init(_ kind: Kind, _ message: String, state: String? = nil, suggestion: String? = nil) {
    (self.kind, self.message, self.state, self.suggestion) = (kind, message, state, suggestion)
  }

  init(state: String, _ message: String) {
    self.init(Self.kind(of: state), message, state: state, suggestion: Self.suggestions[state])
  }

  /// Of a statement that always has a row.
  static let noRow = PostgresError(.failed, "the database answered without a row")

  /// The message, and PostgreSQL's code behind it.
  public var description: String { message + (state.map { " (SQLSTATE \($0))" } ?? "") }

  private static let suggestions = [
    "42501": "As the owner of the database, run GRANT CREATE ON SCHEMA public TO the user, or make the tables and grant them to the user.",
    "53100": "Make room on the disk of the database.",
  ]

  private static func kind(of state: String) -> Kind {
    // Connections, resources, shutdowns; no such database; read-only, and "recovery is in progress": a replica.
    if ["08", "53", "57"].contains(state.prefix(2)), !["57014", "53100"].contains(state) { return .unavailable }
    if ["3D000", "25006", "55000"].contains(state) { return .unavailable }
    if state.hasPrefix("28") || state == "42501" { return .refused }
    return state == "42P01" || state == "42703" ? .wrongSchema : .failed
  }
}
