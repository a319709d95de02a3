public import Foundation
public import Holdfast

/// Where to continue listening.
public struct ResumePoint: Sendable, Hashable {
  /// The collection to continue.
  public var collectionID: UUID
  /// Its title, to be shown.
  public var collectionTitle: String
  /// The track to continue.
  public var trackID: UUID
  /// Its name, to be shown.
  public var trackName: String
  /// The position in the track, and when the listener reached it.
  public var state: PlaybackState
}

extension AudiobookLibrary {
  /// Records how far a track was heard, and makes it the last played track of its collection. Writes two rows, whatever the
  /// collection's size. A state older than the stored one is written too: the listener may have gone back.
  ///
  /// - Throws: `.notFound` when there is no such track; `.invalidValue` for a position that is not finite.
  public func savePlaybackState(_ state: PlaybackState, of trackID: UUID) async throws {
    try await store.write { try Self.savePlaybackState(state, of: trackID, in: $0) }
  }

  /// How far a track was heard, or nil when it never was.
  public func playbackState(of trackID: UUID) async throws -> PlaybackState? {
    try await store.read { try Self.playbackState(of: trackID, in: $0) }
  }

  /// How far every track was heard, by track.
  public func playbackStates() async throws -> [UUID: PlaybackState] { try await store.read { try Self.playbackStates(in: $0) } }

  /// Deletes the playback state of a track. Returns whether there was one.
  @discardableResult
  public func clearPlaybackState(of trackID: UUID) async throws -> Bool {
    try await store.write { try Self.clearPlaybackState(of: trackID, in: $0) }
  }

  /// The place to continue, in one collection or in the last heard collection. Nil when nothing was played yet, or when the
  /// last played track was removed or its state cleared.
  public func resumePoint(in collectionID: UUID? = nil) async throws -> ResumePoint? {
    try await store.read { try Self.resumePoint(collectionID, in: $0) }
  }

  /// The place to continue, now and after each change.
  public func resumePointUpdates(in collectionID: UUID? = nil) -> Updates<ResumePoint?> {
    store.updates { try Self.resumePoint(collectionID, in: $0) }
  }

  // Made once: a player saves several times a minute, and putting the texts together at each call costs a tenth of the save.
  private static let moveState: BoundSQL = "UPDATE playback_states SET position = ?1, duration = ?2, updated_at = ?3 WHERE track_id = ?4"
  private static let setLastPlayed: BoundSQL = """
    UPDATE collections SET last_played_track_id = ?1, updated_at = max(updated_at, ?2)
    WHERE id = (SELECT collection_id FROM playback_states WHERE track_id = ?1)
    """

  /// Records a track's playback state inside your transaction; as `savePlaybackState(_:of:)`.
  public static func savePlaybackState(_ state: PlaybackState, of trackID: UUID, in tx: Writer) throws {
    // Most saves update an existing state, which knows its collection, so the track is not read.
    try Values.checkSeconds(state.position)
    try Values.checkSeconds(state.duration)
    let known = try tx.execute(Self.moveState) { values in
      try values.double(state.position)
      try values.double(state.duration)
      try values.date(state.updatedAt)
      try values.id(trackID)
    }
    if known == 0 {
      guard let collectionID = try collectionID(ofTrack: trackID, in: tx) else { throw missingTrack(trackID) }
      try tx.insert(PlaybackRow(state, of: trackID, in: collectionID))
    }
    try tx.execute(Self.setLastPlayed) { values in
      try values.id(trackID)
      try values.date(state.updatedAt)
    }
  }

  /// Reads a track's playback state inside your transaction; as `playbackState(of:)`.
  public static func playbackState(of trackID: UUID, in reader: Reader) throws -> PlaybackState? {
    try reader.all(PlaybackRow.self, "WHERE track_id = \(trackID)").first?.state
  }

  /// Reads the playback states of all tracks inside your transaction; as `playbackStates()`.
  public static func playbackStates(in reader: Reader) throws -> [UUID: PlaybackState] {
    var states: [UUID: PlaybackState] = [:]
    try reader.each(PlaybackRow.self) { states[$0.trackID] = $0.state }
    return states
  }

  /// Deletes the playback state of a track inside your transaction; as `clearPlaybackState(of:)`.
  public static func clearPlaybackState(of trackID: UUID, in tx: Writer) throws -> Bool {
    let cleared = try tx.execute("DELETE FROM playback_states WHERE track_id = \(trackID)") > 0
    if cleared { try touchCollection(ofTrack: trackID, in: tx) }
    return cleared
  }

  /// Finds the place to continue inside your transaction; as `resumePoint(in:)`.
  public static func resumePoint(_ collectionID: UUID? = nil, in reader: Reader) throws -> ResumePoint? {
    let only: BoundSQL = if let collectionID { "AND c.id = \(collectionID)" } else { "" }
    return try reader.value(
      """
      SELECT c.id, c.title, t.id, t.display_name, s.position, s.duration, s.updated_at
      FROM collections c JOIN tracks t ON t.id = c.last_played_track_id JOIN playback_states s ON s.track_id = t.id
      WHERE c.last_played_track_id IS NOT NULL \(sql: only) ORDER BY s.updated_at DESC, c.id LIMIT 1
      """
    ) { row in
      ResumePoint(
        collectionID: try row.id(), collectionTitle: try row.text(), trackID: try row.id(), trackName: try row.text(),
        state: PlaybackState(position: try row.double(), duration: try row.doubleOrNil(), updatedAt: try row.date()))
    }
  }

  static func collectionID(ofTrack id: UUID, in reader: Reader) throws -> UUID? {
    try reader.value("SELECT collection_id FROM tracks WHERE id = \(id)") { row in try row.id() }
  }
}
