import Foundation
import Holdfast

/// One play of a track to its end: a row of `plays`.
struct PlayRow: StoredRecord, Codable, Hashable {
  static let table = "plays"
  var id: UUID
  var trackID: UUID
  var playedAt: Date
}
