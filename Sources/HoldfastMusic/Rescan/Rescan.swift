import Foundation
public import Holdfast

extension MusicStore {
  /// Compares a listing of folders with the library, and writes nothing.
  ///
  /// A track's file is known by its place. A file was moved when the stored hash, or without hashes the stored size and time,
  /// match exactly one file elsewhere. A file at its place whose content matches no other track is the same file, edited. A
  /// track outside the folders is not judged; an offline track may be found in them.
  /// - Parameters:
  ///   - listing: every file in the folders, or at least every file that may be a track's; see `FolderListing`.
  ///   - roots: the folders that were listed completely, spelled as in the tracks' paths.
  ///   - unreadable: files and folders that the listing could not read; tracks there are not judged.
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func rescanPlan(of listing: [ScannedFile], under roots: [String], unreadable: [String] = []) async throws -> RescanPlan {
    try await store.read { try Self.rescanPlan(of: listing, under: roots, unreadable: unreadable, in: $0) }
  }

  /// Updates the places of the files in the library, in one transaction. Writes only the rows that change.
  ///
  /// Deletes and creates no tracks: a track whose file was moved keeps its plays, rating and playlists; a track whose file is
  /// missing becomes offline. A folder that is not mounted looks as if all its files were missing. So when more tracks are
  /// missing at once than allowed, nothing is changed, and the result is the plan.
  /// - Parameters:
  ///   - missingShareAllowed: the allowed share of missing tracks among the judged ones; default 0.2. 0: any missing file
  ///     needs confirmation. 1: none does.
  ///   - token: the token of the confirmed plan. It is valid for exactly this plan: if the library or the listing has changed
  ///     since, the result is a new plan to confirm.
  /// - Throws: as `rescanPlan`; `.busy`, `.readOnly`. Then nothing is changed.
  public func rescan(
    _ listing: [ScannedFile], under roots: [String], unreadable: [String] = [], missingShareAllowed: Double = 0.2,
    confirmed token: String? = nil
  ) async throws -> RescanResult {
    try await store.write {
      try Self.rescan(
        listing, under: roots, unreadable: unreadable, missingShareAllowed: missingShareAllowed, confirmed: token, in: $0)
    }
  }

  /// Compares a listing of folders with the library inside your transaction; as `rescanPlan(of:under:unreadable:)`.
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
    var matching = RescanMatching(listing, tracks, roots: FolderKeys(roots), unreadable: FolderKeys(unreadable))
    return matching.plan()
  }

  /// Updates the places of files inside your transaction; as `rescan(_:under:unreadable:missingShareAllowed:confirmed:)`.
  public static func rescan(
    _ listing: [ScannedFile], under roots: [String], unreadable: [String] = [], missingShareAllowed: Double = 0.2,
    confirmed token: String? = nil, in tx: Writer
  ) throws -> RescanResult {
    let plan = try rescanPlan(of: listing, under: roots, unreadable: unreadable, in: tx)
    // A share of NaN allows nothing.
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
