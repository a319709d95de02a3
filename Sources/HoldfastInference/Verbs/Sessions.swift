public import Foundation
public import Holdfast

extension InferenceStore {
  /// Begins a session now, by the store's clock, with a new id and without generations.
  ///
  /// It needs no consent. A `DataSyncService` needs full consent to send sessions and generations.
  /// - Parameter modelID: the model; it need not be registered.
  /// - Throws: `.constraint` for an empty model id.
  public func startSession(
    with modelID: String, type: SessionType, context: [String: JSONValue]? = nil
  ) async throws -> GenerationSession {
    try await store.write { try Self.startSession(with: modelID, type: type, context: context, in: $0) }
  }

  /// Ends an open session; an ended one keeps its end. Returns whether it was open.
  ///
  /// - Parameter date: the end; nil for now, by the store's clock.
  /// - Throws: `.notFound` when there is no such session; `.invalidValue` for a date outside the years 1 to 9999.
  @discardableResult
  public func endSession(_ id: UUID, at date: Date? = nil) async throws -> Bool {
    try await store.write { try Self.endSession(id, at: date, in: $0) }
  }

  /// One session; nil when there is none with this id.
  public func session(_ id: UUID) async throws -> GenerationSession? { try await store.read { try Self.session(id, in: $0) } }

  /// A page of sessions, by beginning, the newest first.
  ///
  /// - Parameters:
  ///   - modelID: only sessions of this model; nil for all.
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func sessions(of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<GenerationSession> {
    try await store.read { try Self.sessions(of: modelID, after: key, limit: limit, in: $0) }
  }

  /// A page of the sessions that wait to be sent, the longest unchanged first.
  ///
  /// The consent decides whether they are sent: see `DataSyncService`. Parameters and errors are those of `sessions(of:after:limit:)`.
  public func pendingSessions(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<GenerationSession> {
    try await store.read { try Self.pendingSessions(after: key, limit: limit, in: $0) }
  }

  /// Adds a session, or replaces all fields of the one with its id, also its totals. Its generations stay.
  ///
  /// - Throws: `.constraint` for an empty model id; `.invalidValue` for a number that is not finite.
  public func save(_ session: GenerationSession) async throws { try await store.write { try Self.save(session, in: $0) } }

  /// Deletes a session with its generations; the models' usage stays. Returns whether there was one.
  @discardableResult
  public func deleteSession(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteSession(id, in: $0) } }

  /// The newest sessions now, and after each change of one.
  public func sessionUpdates(of modelID: String? = nil, limit: Int = 100) -> Updates<[GenerationSession]> {
    store.updates { try Self.sessions(of: modelID, limit: limit, in: $0).items }
  }

  /// One session now, and after each change of it; nil while there is none.
  public func sessionUpdates(_ id: UUID) -> Updates<GenerationSession?> {
    store.updates { try Self.session(id, in: $0) }
  }

  /// Begins a session inside your transaction; as `startSession(with:type:context:)`.
  public static func startSession(
    with modelID: String, type: SessionType, context: [String: JSONValue]? = nil, in tx: Writer
  ) throws -> GenerationSession {
    let session = GenerationSession(id: tx.makeID(), modelID: modelID, type: type, startedAt: tx.currentDate(), context: context)
    try tx.insert(session)
    return session
  }

  /// Ends a session inside your transaction; as `endSession(_:at:)`.
  public static func endSession(_ id: UUID, at date: Date? = nil, in tx: Writer) throws -> Bool {
    let now = tx.currentDate()
    let changed = try tx.execute(
      "UPDATE generation_sessions SET ended_at = \(date ?? now), updated_at = \(now) WHERE id = \(id) AND ended_at IS NULL")
    if changed == 0, try tx.count("SELECT count(*) FROM generation_sessions WHERE id = \(id)") == 0 { throw missingSession(id) }
    return changed > 0
  }

  /// Reads one session inside your transaction; as `session(_:)`.
  public static func session(_ id: UUID, in reader: Reader) throws -> GenerationSession? { try reader.find(GenerationSession.self, id: id) }

  /// Reads a page of sessions inside your transaction; as `sessions(of:after:limit:)`.
  public static func sessions(
    of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<GenerationSession> {
    let condition: BoundSQL = modelID.map { "model_id = \($0)" } ?? "true"
    let listing = Listing(condition: condition, columns: [("started_at", .number), ("id", .text)], isDescending: true)
    return try reader.page(GenerationSession.self, listing, after: key, limit: limit)
  }

  /// Reads a page of pending sessions inside your transaction; as `pendingSessions(after:limit:)`.
  public static func pendingSessions(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<GenerationSession> {
    // The order of the partial index.
    let listing = Listing(condition: Outbox.isPending, columns: [("updated_at", .number), ("id", .text)])
    return try reader.page(GenerationSession.self, listing, after: key, limit: limit)
  }

  /// Adds or replaces a session inside your transaction; as `save(_:)`.
  public static func save(_ session: GenerationSession, in tx: Writer) throws { try tx.upsert(session) }

  /// Deletes a session with its generations inside your transaction; as `deleteSession(_:)`.
  public static func deleteSession(_ id: UUID, in tx: Writer) throws -> Bool { try tx.delete(GenerationSession.self, id: id) }

  static func missingSession(_ id: UUID) -> StoreError {
    StoreError(.notFound, "there is no session \(IDCodec.lowercase(id))", suggestion: "Start the session first.")
  }
}
