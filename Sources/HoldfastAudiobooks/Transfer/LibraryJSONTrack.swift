import Foundation
import Holdfast
import HoldfastTransfer

/// One track of a `library.json`, as far as it can be read.
struct LibraryJSONTrack {
  var fields = JSONFields(keys: keys)
  var id: Written<UUID>?
  var track: AudiobookTrack?
  var isFavorite = false
  var favoritedAt: Written<Date>?
  var unknown: [(key: String, at: JSONScanner)] = []

  /// A favourite, or something that was one.
  var countsAsFavorite: Bool { isFavorite || favoritedAt != nil }

  /// The first six are required.
  private static let keys: [StaticString] = [
    "id", "displayName", "filename", "location", "fileSize", "trackNumber", "duration", "checksum", "metadata", "isFavorite", "favoritedAt",
  ]

  /// - Throws: `JSONScanError` when the document itself is damaged here.
  init(_ scanner: inout JSONScanner, in document: JSONDocument) throws {
    guard try scanner.peek() == .object else {
      try scanner.skip()
      fields.fail("a track should be an object")
      return
    }
    var track = AudiobookTrack(
      id: .zero, displayName: "", filename: "",
      location: .unknown(type: "", json: "{}"), trackNumber: 0)
    try scanner.object { key, value in
      switch fields.number(of: key) {
      case 0: id = try fields.id("id", &value)
      case 1: track.displayName = try fields.text("displayName", &value)
      case 2: track.filename = try fields.text("filename", &value)
      case 3: track.location = try fields.tagged("location", &value, in: document)
      case 4: track.fileSize = try fields.int64("fileSize", &value)
      case 5: track.trackNumber = Int(clamping: try fields.int64("trackNumber", &value))
      case 6: track.duration = try fields.doubleOrNil("duration", &value)
      case 7: track.checksum = try fields.textOrNil("checksum", &value)
      case 8: track.metadata = try fields.textMap("metadata", &value)
      case 9: isFavorite = try fields.bool("isFavorite", &value)
      case 10: favoritedAt = try fields.dateOrNil("favoritedAt", &value)
      default:
        unknown.append((key.string, value))
        try value.skip()
      }
    }
    fields.requireFirst(6)
    guard let id else { return }
    track.id = id.value
    self.track = track
  }
}
