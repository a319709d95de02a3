public import Foundation
public import Holdfast

extension MusicStore {
  /// Adds one play to a track: a row of its own, so that the plays of two synced devices add up. The time of the last play becomes `date`, unless a later play is stored.
  ///
  /// - Parameter date: when the track was played to its end; nil for now, by the store's clock.
  /// - Throws: `.notFound` when there is no such track; `.invalidValue` for a date outside the years 1 to 9999.
  public func recordPlay(of trackID: UUID, at date: Date? = nil) async throws {
    try await store.write { try Self.recordPlay(of: trackID, at: date, in: $0) }
  }

  /// Rates a track from 0 to 100, 20 for each star; nil removes the rating. Writes one row, or none when the rating is the same.
  ///
  /// - Throws: `.notFound` when there is no such track; `.invalidValue` for a rating outside 0 to 100.
  public func rate(_ rating: Int?, track id: UUID) async throws { try await store.write { try Self.rate(rating, track: id, in: $0) } }

  /// Adds one play to a track inside your transaction; as `recordPlay(of:at:)`.
  public static func recordPlay(of trackID: UUID, at date: Date? = nil, in tx: Writer) throws {
    let date = date ?? tx.currentDate()
    let changed = try tx.execute(
      "UPDATE tracks SET last_played_at = max(coalesce(last_played_at, \(date)), \(date)) WHERE id = \(trackID)")
    if changed == 0 { throw missingTrack(trackID) }
    // The schema's triggers count it.
    try tx.insert(PlayRow(id: tx.makeID(), trackID: trackID, playedAt: date))
  }

  /// Rates a track inside your transaction; as `rate(_:track:)`.
  public static func rate(_ rating: Int?, track id: UUID, in tx: Writer) throws {
    if let rating, !(0...100).contains(rating) { throw StoreError(.invalidValue, "a rating is 0 to 100, not \(rating)") }
    if try tx.execute("UPDATE tracks SET rating = \(rating) WHERE id = \(id) AND rating IS NOT \(rating)") > 0 { return }
    try checkTrack(id, in: tx)
  }

  static func missingTrack(_ id: UUID) -> StoreError { StoreError(.notFound, "there is no track \(IDCodec.lowercase(id))") }

  static func checkTrack(_ id: UUID, in reader: Reader) throws {
    if try reader.count("SELECT count(*) FROM tracks WHERE id = \(id)") == 0 { throw missingTrack(id) }
  }
}
