import Foundation
import Holdfast
import HoldfastTransfer

/// Reads one row of `tracks`. What a track can do without is left out where it is of a wrong kind, and told; ids and texts must
/// be right.
struct MusicSQLiteTrack {
  private(set) var parsed = ParsedTrack()
  private let row: SQLiteRow
  private let shape: MusicShape

  private static let texts = ["id", "title", "artist", "album", "albumArtist", "fileURL", "artworkURL", "genre"]
  private static let others = ["duration", "artworkData", "year", "trackNumber", "playCount"]

  init(_ row: SQLiteRow, _ shape: MusicShape) {
    self.row = row
    self.shape = shape
    var fields = SQLiteFields(row)
    parsed.id = fields.id("id")
    let file = fields.text(shape.name("fileURL"))
    let artwork = fields.textOrNil(shape.name("artworkURL"))
    // The date is not the source's.
    var track = LibraryTrack(
      id: parsed.id?.value ?? .zero, title: fields.text("title"),
      artist: fields.text("artist"), album: fields.text("album"), albumArtist: fields.textOrNil(shape.name("albumArtist")),
      genre: fields.textOrNil("genre"), file: TrackFile(location: nil), addedAt: Date(timeIntervalSince1970: 0))
    Self.refuseZeroBytes(Self.texts.map(shape.name), &fields)
    parsed.problem = fields.problem
    guard fields.problem == nil else { return }
    parsed.written["id"] = parsed.id?.text
    track.file.location = location(.location, "fileURL", file)
    track.artworkURL = artwork.flatMap { location(.artworkURL, "artworkURL", $0)?.text }
    track.duration = duration()
    track.year = optional(.year, "year") { $0.int64OrNil($1) }.map { Int(clamping: $0) }
    track.trackNumber = optional(.trackNumber, "trackNumber") { $0.int64OrNil($1) }.map { Int(clamping: $0) }
    if let count = optional(.playCount, "playCount", { $0.int64OrNil($1, in: 0 ... .max) }) {
      track.playCount = Int(clamping: count)
      parsed.carries.insert(.playCount)
    }
    picture()
    track.artworkHash = parsed.artwork?.content.hash
    // The column may not be NULL.
    if file.isEmpty { (track.file.location, parsed.written["fileURL"]) = (nil, .null) }
    parsed.track = track
    for column in fields.unknown(besides: Set((Self.texts + Self.others).map { shape.name($0).lowercased() })) {
      parsed.tell(unknown: column, row.original(column))
    }
  }

  /// Text that was no longer alive when it was stored may end in the middle, or be followed by anything.
  static func refuseZeroBytes(_ columns: [String], _ fields: inout SQLiteFields) {
    for column in columns {
      if case .text(let text)? = fields.row.value(column), text.utf8.contains(0) { fields.fail("\(column) holds bytes that are no text") }
    }
  }

  private mutating func location(_ field: TrackFields, _ name: String, _ text: String) -> FileLocation? {
    let column = shape.name(name)
    if let location = shape.location(text) {
      parsed.written[name] = .string(text)
      return location
    }
    leave(field, column, "\(column) cannot be written as a URL that leads back to it")
    return nil
  }

  private mutating func duration() -> Double? {
    var fields = SQLiteFields(row)
    let read = fields.double("duration")
    let (seconds, problem) = ParsedTrack.checked(duration: fields.problem == nil ? read : nil)
    if let problem = fields.problem ?? problem { leave(.duration, "duration", problem) }
    return seconds
  }

  private mutating func picture() {
    let column = shape.name("artworkData")
    guard let data = optional(.artwork, "artworkData", { $0.dataOrNil($1) }) else { return }
    guard !data.isEmpty else { return leave(.artwork, column, "\(column) is empty") }
    parsed.artwork = .init(content: MusicArtwork(data), path: row.path, original: row.original(column))
  }

  /// A field that is left out alone when it is wrong.
  private mutating func optional<T>(_ carried: TrackFields, _ name: String, _ read: (inout SQLiteFields, String) -> T?) -> T? {
    let column = shape.name(name)
    var fields = SQLiteFields(row)
    let result = read(&fields, column)
    guard let problem = fields.problem else { return result }
    leave(carried, column, problem)
    return nil
  }

  private mutating func leave(_ field: TrackFields, _ column: String, _ reason: String) {
    parsed.leave(field, .init(name: column, reason: reason, original: row.original(column)))
  }
}
