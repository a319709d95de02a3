import Foundation
import Holdfast
import HoldfastTransfer

/// One row of `tracks`, as far as it can be read.
struct LibrarySQLiteTrack {
  enum Mark {
    case no
    case yes
    case unreadable
  }

  private(set) var fields: SQLiteFields
  let id: Written<UUID>?
  let collection: Written<UUID>?
  let track: AudiobookTrack?
  let mark: Mark
  let favoritedAt: Written<Date>?
  /// `favorited_at` holds something that is no date.
  let hasDamagedTime: Bool

  /// A favourite, or something that was one.
  var countsAsFavorite: Bool { mark != .no || favoritedAt != nil || hasDamagedTime }

  static let columns: Set<String> = [
    "id", "collection_id", "display_name", "filename", "location_type", "location_payload", "file_size", "duration", "track_number",
    "checksum", "metadata_json", "is_favorite", "favorited_at",
  ]

  init(_ row: SQLiteRow) {
    var fields = SQLiteFields(row)
    let id = fields.id("id")
    collection = fields.id("collection_id")
    var track = AudiobookTrack(
      id: id?.value ?? .zero, displayName: fields.text("display_name"),
      filename: fields.text("filename"), location: .unknown(type: "", json: "{}"), fileSize: fields.int64("file_size"),
      duration: fields.doubleOrNil("duration"), trackNumber: Int(clamping: fields.int64("track_number")),
      checksum: fields.textOrNil("checksum"), metadata: fields.textMap("metadata_json"))
    track.location = fields.tagged("location_type", "location_payload")
    self.id = id
    self.track = fields.problem == nil ? track : nil
    self.fields = fields
    // The two columns are a record of their own: what is wrong with them is not wrong with the track.
    mark = Self.mark(row.value("is_favorite"))
    var time = SQLiteFields(row)
    favoritedAt = time.dateOrNil("favorited_at")
    hasDamagedTime = time.problem != nil
  }

  private static func mark(_ value: SQLValue?) -> Mark {
    switch value {
    case nil, .null?: .no
    case .integer(let number)?: number == 0 ? .no : .yes
    case .text(let text)? where ["0", "false"].contains(text.lowercased()): .no
    case .text(let text)? where ["1", "true"].contains(text.lowercased()): .yes
    default: .unreadable
    }
  }
}
