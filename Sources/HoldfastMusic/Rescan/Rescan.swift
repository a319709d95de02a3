import Foundation
public import Holdfast

extension MusicStore {
  /// Compares a listing of folders with the library, and writes nothing.
  ///
  /// A track's file is known by its place. Where the stored hash, or without hashes the stored size and time, say that a
  /// file is elsewhere now, and only one can be meant, it was moved. A file that is at its place with a content that no other
  /// track has is the same file, edited. A track outside the folders is never judged; one that is offline may be found in them.
  /// - Parameters:
  ///   - listing: every file in the folders, or at least every one that may be a track's; see `FolderListing`.
  ///   - roots: the folders that were listed whole, as the paths of the tracks spell them.
  ///   - unreadable: files and folders that the listing could not look at: what is there is not judged.
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func rescanPlan(of listing: [ScannedFile], under roots: [String], unreadable: [String] = []) throws -> RescanPlan {
    try store.read { try Self.rescanPlan(of: listing, under: roots, unreadable: unreadable, in: $0) }
  }
  public func rescanPlan(of listing: [ScannedFile], under roots: [String], unreadable: [String] = []) async throws -> RescanPlan {
    try await store.read { try Self.rescanPlan(of: listing, under: roots, unreadable: unreadable, in: $0) }
  }

  /// Makes the library say where the files are now, in one transaction that writes the rows that change.
  ///
  /// Tracks are never deleted and none is made: moved files keep their track with its plays, rating and playlists, missing ones
  /// become offline. A folder that is not mounted looks as if everything had gone: when more is missing at once than is allowed,
  /// nothing is changed, and the result says what would be.
  /// - Parameters:
  ///   - missingShareAllowed: of the tracks under the folders that were not offline before; default 0.2. 0: any missing
  ///     file needs confirmation. 1: none does.
  ///   - token: that of the plan that was confirmed. It is for exactly this plan: when the library or the listing has become another
  ///     since then, the result is a new plan to confirm.
  /// - Throws: as `rescanPlan`; `.busy`, `.readOnly`. Then nothing is changed.
  public func rescan(
    _ listing: [ScannedFile], under roots: [String], unreadable: [String] = [], missingShareAllowed: Double = 0.2,
    confirmed token: String? = nil
  ) throws -> RescanResult {
    try store.write {
      try Self.rescan(
        listing, under: roots, unreadable: unreadable, missingShareAllowed: missingShareAllowed, confirmed: token, in: $0)
    }
  }
  public func rescan(
    _ listing: [ScannedFile], under roots: [String], unreadable: [String] = [], missingShareAllowed: Double = 0.2,
    confirmed token: String? = nil
  ) async throws -> RescanResult {
    try await store.write {
      try Self.rescan(
        listing, under: roots, unreadable: unreadable, missingShareAllowed: missingShareAllowed, confirmed: token, in: $0)
    }
  }

  public static func rescanPlan(
    of listing: [ScannedFile], under roots: [String], unreadable: [String] = [], in reader: Reader
  ) throws -> RescanPlan {
    var tracks: [RescanMatching.Known] = []
    try reader.rows(
      """
      SELECT id, file_key, file_url, availability, file_size, file_modified_at, content_hash FROM tracks
      WHERE file_key IS NOT NULL ORDER BY rowid
      """, of: "tracks"
    ) { row in
      tracks.append(RescanMatching.Known(id: try row.id(), key: try row.text(), file: try TrackFile(loading: &row)))
    }
    return RescanMatching(listing, tracks, roots: FolderKeys(roots), unreadable: FolderKeys(unreadable)).plan()
  }

  public static func rescan(
    _ listing: [ScannedFile], under roots: [String], unreadable: [String] = [], missingShareAllowed: Double = 0.2,
    confirmed token: String? = nil, in tx: Writer
  ) throws -> RescanResult {
    let plan = try rescanPlan(of: listing, under: roots, unreadable: unreadable, in: tx)
    // A share that is not a number allows nothing.
    guard plan.missing.isEmpty || plan.missingShare <= missingShareAllowed || token == plan.token else { return .needsConfirmation(plan) }
    for change in plan.changes {
      let file = change.after
      try tx.execute(
        """
        UPDATE tracks SET file_url = \(file.location?.text), file_key = \(file.location?.key),
          availability = \(file.availability.rawValue), file_size = \(file.sizeBytes), file_modified_at = \(file.modifiedAt),
          content_hash = \(file.contentHash) WHERE id = \(change.trackID)
        """)
    }
    return .done(plan)
  }
}
