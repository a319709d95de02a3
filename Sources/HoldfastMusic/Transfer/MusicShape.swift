import Foundation
import Holdfast
import HoldfastTransfer

/// The forms of the player's files: the kinds of records, with the fields of tracks and playlists, and the form of each.
///
/// The ledgers of earlier imports have these values in this order, so both must stay.
struct MusicShape: Sendable {
  let artwork: RecordKind<MusicArtwork>
  let tracks: RecordKind<LibraryTrack>
  let playlists: RecordKind<SourceList>
  /// Whether files are given as paths instead of URLs.
  let hasPaths: Bool

  /// `library.json`.
  static let json = MusicShape(.text, .optional("fileURL", \.file.location, .url(.text), .fails), isJSON: true)
  /// The first database, with a column `file_url`.
  static let paths = MusicShape(
    .wholeText, .init("fileURL", \.file.location, .filled(.path), .keeps).ifWrong(fails: true), hasPaths: true)
  /// The later databases. The column of the URL cannot be NULL; an empty text means no URL.
  static let urls = MusicShape(
    .wholeText, .required("fileURL", \.file.location, .filled(.url(.wholeText))))

  /// In a database, one invalid text makes the whole row untrusted. Only in JSON playlists have an order, and pictures are base64.
  private init(_ text: ValueForm<String>, _ location: RecordField<LibraryTrack>, hasPaths: Bool = false, isJSON: Bool = false) {
    let artworkURL = hasPaths ? ValueForm<FileLocation>.path.map({ $0.text }, back: FileLocation.init(text:)) : text
    tracks = .tracks([
      .required("id", \.id, .id),
      .required("title", \.title, text),
      .required("artist", \.artist, text),
      .required("album", \.album, text),
      .optional("albumArtist", \.albumArtist, text).ifWrong(fails: !isJSON),
      .optional("duration", \.duration, .seconds, .fails).ifWrong(fails: false),
      location,
      .optional("artworkURL", \.artworkURL, artworkURL, isJSON ? .empties : .keepsUnlessNull).ifWrong(fails: !isJSON),
      // Holds the picture's hash: see `takePicture`.
      .optional("artworkData", \.artworkHash, .text, .keepsUnlessNull),
      .optional("genre", \.genre, text).ifWrong(fails: !isJSON),
      .optional("year", \.year, .int),
      .optional("trackNumber", \.trackNumber, .int),
      // Only legacy mode writes the other fields; the last databases also count plays.
      .optional("discNumber", \.discNumber, .int, .keeps),
      .kept("isCompilation", \.isCompilation, .bool),
      .kept("playCount", \.playCount, .count),
      .optional("lastPlayedAt", \.lastPlayedAt, .iso8601, .keeps),
      .optional("rating", \.rating, .percent, .keeps),
      .optional("addedAt", \.addedAt, .iso8601, .keeps),
      .optional("persistentID", \.persistentID, .text, .keeps),
    ])
    playlists = .playlists([.required("id", \.row.id, .id), .required("name", \.row.name, text)], hasPlace: isJSON)
    artwork = .artwork(inBase64: isJSON)
    self.hasPaths = hasPaths
  }
}

// MARK: Forms

extension ValueForm<String> {
  /// The player freed some texts before they were stored: such a text may be cut off, or continue with random bytes.
  fileprivate static var wholeText: ValueForm { text.only("a text without zeros") { !$0.utf8.contains(0) } }
}

extension ValueForm<FileLocation> {
  static func url(_ text: ValueForm<String>) -> ValueForm { text.map(FileLocation.init(text:), back: { $0.text }) }

  /// A text that begins as a URL is read as a URL.
  fileprivate static var path: ValueForm {
    @Sendable func isURL(_ text: String) -> Bool { text.lowercased().hasPrefix("file:") }
    return ValueForm("a path that a file URL can hold") { location, said in
      if case .string(let text) = said, isURL(text) { .string(location.text) } else { .text(location.path) }
    } read: { json in
      guard case .string(let text)? = ValueForm<String>.wholeText.read(json)?.text else { return nil }
      if isURL(text) { return Written(value: FileLocation(text: text), text: json) }
      let location = FileLocation(path: text)
      guard let back = location.path, back.utf8.elementsEqual(text.utf8) else { return nil }
      return Written(value: location, text: json)
    }
  }
}

extension ValueForm<FileLocation?> {
  /// An empty text means no value.
  static func filled(_ form: ValueForm<FileLocation>) -> ValueForm { form.orNil(also: .string("")) }
}

extension ValueForm<Int> {
  static var count: ValueForm { int.only("a whole number that is not less than 0") { $0 >= 0 } }
  static var percent: ValueForm { int.only("a whole number from 0 to 100") { (0...100).contains($0) } }
}

extension ValueForm<Double> {
  fileprivate static var seconds: ValueForm { double.only("a number that is not less than 0") { $0 >= 0 } }
}

// MARK: Before the fields are read

extension SourceMembers {
  /// Takes a picture out of the members, and puts its hash in its place, as a track stores it.
  ///
  /// - Parameter data: the picture's bytes; nil when they cannot be read.
  mutating func takePicture(_ name: String, _ data: Data?) -> MusicArtwork? {
    guard value(name) != .null else {
      // Says explicitly that the track has no picture.
      set(name, .null)
      return nil
    }
    guard let data, !data.isEmpty else {
      leave(name, "\(name) should be the bytes of a picture")
      return nil
    }
    let artwork = MusicArtwork(data)
    set(name, .string(artwork.hash))
    return artwork
  }

  /// Leaves out paths that do not come back from their URL; the track is imported without them.
  mutating func leaveLostPaths() {
    if value("file_url") == .null { fail("file_url is missing") }
    for name in ["file_url", "artwork_url"] {
      guard let text = text(name), !text.utf8.contains(0), ValueForm<FileLocation>.path.read(.string(text)) == nil else { continue }
      leave(name, "\(name) cannot be written as a file URL without a change")
    }
  }
}
