import Foundation
import Holdfast
import HoldfastTransfer

/// Reads one track of a `library.json`. What a track can do without is left out where it cannot be read, and told; the rest
/// must be right.
struct MusicJSONTrack {
  /// The first six are required; the last seven only legacy mode writes.
  private static let keys: [StaticString] = [
    "id", "title", "artist", "album", "duration", "fileURL", "albumArtist", "genre", "year", "trackNumber", "artworkURL", "artworkData",
    "discNumber", "isCompilation", "playCount", "lastPlayedAt", "rating", "addedAt", "persistentID",
  ]
  private(set) var parsed = ParsedTrack()

  /// - Throws: `JSONScanError` when the document itself is damaged here.
  init(_ scanner: inout JSONScanner) throws {
    guard try scanner.peek() == .object else {
      try scanner.skip()
      parsed.problem = "a track should be an object"
      return
    }
    var fields = JSONFields(keys: Self.keys)
    // The date is not the source's.
    var track = LibraryTrack(
      id: .zero, title: "", file: TrackFile(location: nil),
      addedAt: Date(timeIntervalSince1970: 0))
    try scanner.object { key, value in
      switch fields.number(of: key) {
      case 0: parsed.id = try fields.id("id", &value)
      case 1: track.title = try fields.text("title", &value)
      case 2: track.artist = try fields.text("artist", &value)
      case 3: track.album = try fields.text("album", &value)
      case 4: track.duration = try duration(&value)
      case 5:
        let text = try fields.text("fileURL", &value)
        track.file.location = FileLocation(text: text)
        parsed.written["fileURL"] = .string(text)
      case 6: track.albumArtist = try optional(.albumArtist, "albumArtist", &value) { try $0.textOrNil("albumArtist", &$1) }
      case 7: track.genre = try optional(.genre, "genre", &value) { try $0.textOrNil("genre", &$1) }
      case 8: track.year = try optional(.year, "year", &value) { try $0.int64OrNil("year", &$1) }.map { Int(clamping: $0) }
      case 9:
        track.trackNumber = try optional(.trackNumber, "trackNumber", &value) { try $0.int64OrNil("trackNumber", &$1) }
          .map { Int(clamping: $0) }
      case 10:
        track.artworkURL = try optional(.artworkURL, "artworkURL", &value) { try $0.textOrNil("artworkURL", &$1) }
        parsed.written["artworkURL"] = .text(track.artworkURL)
      case 11: try artwork(&value)
      case let number?: try more(number, &value, &track)
      default:
        parsed.tell(unknown: key.string, .value(value))
        try value.skip()
      }
    }
    fields.requireFirst(6)
    parsed.problem = fields.problem
    guard let id = parsed.id else { return }
    track.id = id.value
    parsed.written["id"] = id.text
    track.artworkHash = parsed.artwork?.content.hash
    parsed.track = track
  }

  /// What the player does not know. Where it cannot be read, the source is taken not to say it.
  private mutating func more(_ number: Int, _ value: inout JSONScanner, _ track: inout LibraryTrack) throws {
    switch number {
    case 12: track.discNumber = try taken(.discNumber, "discNumber", &value) { try $0.int64OrNil($1, &$2) }.map { Int(clamping: $0) }
    case 13: track.isCompilation = try taken(.compilation, "isCompilation", &value) { try $0.bool($1, &$2) } ?? false
    case 14:
      track.playCount =
        try taken(.playCount, "playCount", &value) { try $0.int64OrNil($1, &$2, in: 0 ... .max) }.map { Int(clamping: $0) } ?? 0
    case 15: track.lastPlayedAt = try date(.lastPlayedAt, "lastPlayedAt", &value)
    case 16: track.rating = try taken(.rating, "rating", &value) { try $0.int64OrNil($1, &$2, in: 0...100) }.map { Int(clamping: $0) }
    case 17: track.addedAt = try date(.addedAt, "addedAt", &value) ?? track.addedAt
    default: track.persistentID = try taken(.persistentID, "persistentID", &value) { try $0.textOrNil($1, &$2) }
    }
  }

  private mutating func date(_ field: TrackFields, _ key: String, _ value: inout JSONScanner) throws -> Date? {
    guard let date = try taken(field, key, &value, { try $0.dateOrNil($1, &$2) }) else { return nil }
    parsed.written[key] = date.text
    return date.value
  }

  private mutating func taken<T>(
    _ field: TrackFields, _ key: String, _ value: inout JSONScanner,
    _ read: (inout JSONFields, String, inout JSONScanner) throws -> T?
  ) throws -> T? {
    guard let found = try optional(field, key, &value, { try read(&$0, key, &$1) }) else { return nil }
    parsed.carries.insert(field)
    return found
  }

  private mutating func duration(_ value: inout JSONScanner) throws -> Double? {
    let start = value
    guard let seconds = try optional(.duration, "duration", &value, { try $0.double("duration", &$1) }) else { return nil }
    let (duration, problem) = ParsedTrack.checked(duration: seconds)
    if let problem { leave(.duration, "duration", problem, start) }
    return duration
  }

  /// A text in base64, of which the picture is what it says.
  private mutating func artwork(_ value: inout JSONScanner) throws {
    let start = value
    guard let text = try optional(.artwork, "artworkData", &value, { try $0.textOrNil("artworkData", &$1) }) else { return }
    // What does not come back letter by letter was not written by an encoder.
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
      return leave(.artwork, "artworkData", "artworkData should be bytes in base64", start)
    }
    guard !data.isEmpty else { return leave(.artwork, "artworkData", "artworkData is empty", start) }
    parsed.artwork = .init(content: MusicArtwork(data), written: text, path: .json(start.location), original: .value(start))
  }

  /// A field that is left out alone when it is wrong.
  private mutating func optional<T>(
    _ carried: TrackFields, _ key: String, _ value: inout JSONScanner, _ read: (inout JSONFields, inout JSONScanner) throws -> T?
  ) throws -> T? {
    let start = value
    var field = JSONFields(keys: [])
    let result = try read(&field, &value)
    guard let problem = field.problem else { return result }
    leave(carried, key, problem, start)
    return nil
  }

  private mutating func leave(_ field: TrackFields, _ key: String, _ reason: String, _ at: JSONScanner) {
    parsed.leave(field, .init(name: key, reason: reason, original: .value(at)))
  }
}
