import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own forms: which fields a track and a playlist have, and in which form.
///
/// The ledger of an earlier import knows these values in this order, so both stay as they are.
struct MusicShape: Sendable {
  let tracks: FieldTable<LibraryTrack>
  let playlists: FieldTable<SourceList>
  /// Whether files are named by paths, and not by URLs.
  let hasPaths: Bool
  /// Whether it is JSON: pictures are compared in base64, and playlists have an order.
  let isJSON: Bool

  /// `library.json`.
  static let json = MusicShape(.text, .optional("fileURL", \.file.location, .url(.text), .fails), isJSON: true)
  /// The first database, whose columns are spelled `file_url`.
  static let paths = MusicShape(
    .wholeText, .init("fileURL", \.file.location, .filled(.path), .keeps).ifWrong(fails: true), hasPaths: true)
  /// The databases that came next. The column of the URL may not be NULL: an empty text is none.
  static let urls = MusicShape(
    .wholeText, .required("fileURL", \.file.location, .filled(.url(.wholeText))))

  /// In a database nothing of a row is believed of which one text is wrong.
  private init(_ text: ValueForm<String>, _ location: RecordField<LibraryTrack>, hasPaths: Bool = false, isJSON: Bool = false) {
    let artworkURL = hasPaths ? ValueForm<FileLocation>.path.map({ $0.text }, back: FileLocation.init(text:)) : text
    tracks = [
      .required("id", \.id, .id),
      .required("title", \.title, text),
      .required("artist", \.artist, text),
      .required("album", \.album, text),
      .optional("albumArtist", \.albumArtist, text).ifWrong(fails: !isJSON),
      .optional("duration", \.duration, .seconds, .fails).ifWrong(fails: false),
      location,
      .optional("artworkURL", \.artworkURL, artworkURL, isJSON ? .empties : .keepsUnlessNull).ifWrong(fails: !isJSON),
      // In the place of the picture: `takePicture`.
      .optional("artworkData", \.artworkHash, .text, .keepsUnlessNull),
      .optional("genre", \.genre, text).ifWrong(fails: !isJSON),
      .optional("year", \.year, .int),
      .optional("trackNumber", \.trackNumber, .int),
      // Only legacy mode writes the rest, and the last databases count plays.
      .optional("discNumber", \.discNumber, .int, .keeps),
      .kept("isCompilation", \.isCompilation, .bool),
      .kept("playCount", \.playCount, .count),
      .optional("lastPlayedAt", \.lastPlayedAt, .iso8601, .keeps),
      .optional("rating", \.rating, .percent, .keeps),
      .kept("addedAt", \.addedAt, .iso8601),
      .optional("persistentID", \.persistentID, .text, .keeps),
    ]
    playlists = [.required("id", \.row.id, .id), .required("name", \.row.name, text)]
    (self.hasPaths, self.isJSON) = (hasPaths, isJSON)
  }
}

// MARK: Forms

extension ValueForm<String> {
  /// Text that was no longer alive when it was stored may end in the middle, or be followed by anything.
  fileprivate static var wholeText: ValueForm { text.only("a text without zeros") { !$0.utf8.contains(0) } }
}

extension ValueForm<FileLocation> {
  static func url(_ text: ValueForm<String>) -> ValueForm { text.map(FileLocation.init(text:), back: { $0.text }) }

  /// What begins as a URL is one all the same.
  fileprivate static var path: ValueForm {
    @Sendable func isURL(_ text: String) -> Bool { text.lowercased().hasPrefix("file:") }
    return ValueForm("a path that a URL leads back to") { location, said in
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
  /// An empty text is none.
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
  /// Takes a picture out. Its hash stands in its place, which is what a track says of it.
  ///
  /// - Parameter data: the picture's bytes; nil when there are none that can be read.
  mutating func takePicture(_ name: String, _ data: Data?) -> MusicArtwork? {
    guard value(name) != .null else {
      // A source that has none says so.
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

  /// Leaves out the paths of which no URL leads back: the track comes in without.
  mutating func leaveLostPaths() {
    if value("file_url") == .null { fail("file_url is missing") }
    for name in ["file_url", "artwork_url"] {
      guard let text = text(name), !text.utf8.contains(0), ValueForm<FileLocation>.path.read(.string(text)) == nil else { continue }
      leave(name, "\(name) cannot be written as a URL that leads back to it")
    }
  }
}
