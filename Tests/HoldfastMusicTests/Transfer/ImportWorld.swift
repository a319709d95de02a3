import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with a source and a store that it is imported into; clock and ids are fixed.
final class ImportWorld {
  let folder: TemporaryFolder
  let clock = TestClock()
  var source: URL
  private let newID = NewID.counting()
  var store: URL { folder.file("store.sqlite") }

  /// - Parameter name: of the source, which is not there yet.
  init(_ name: String = "library.json") throws {
    folder = try TemporaryFolder()
    source = folder.file(name)
  }

  var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { [clock] in clock.now }
    options.newID = newID
    return options
  }

  /// Imports what stands at `source`, and checks what must hold after every import: the source is the same, the store is healthy.
  func report(format: String? = nil, hints: SourceHints = SourceHints(), options: ImportOptions = ImportOptions()) throws -> ImportReport {
    let content = try Data(contentsOf: source)
    let report = try MusicStore.importLibrary(
      from: source, into: store, format: format, hints: hints, options: options, storeOptions: self.options)
    #expect(try Data(contentsOf: source) == content)
    #expect(report.verified && report.counts.values.allSatisfy { $0.addsUp })
    if !options.dryRun { #expect(try withLibrary { try $0.store.integrityCheck().findings } == []) }
    return report
  }

  func report(_ text: String, format: String? = nil, options: ImportOptions = ImportOptions()) throws -> ImportReport {
    try Data(text.utf8).write(to: source)
    return try report(format: format, options: options)
  }

  /// The whole report as a picture.
  func importing(format: String? = nil) throws -> String { try report(format: format).picture }
  func importing(_ text: String, format: String? = nil) throws -> String { try report(text, format: format).picture }

  /// The error of an import that must fail and leave nothing behind.
  func failure(_ text: String, format: String? = nil) throws -> StoreError {
    try Data(text.utf8).write(to: source)
    return try failure(format: format)
  }

  func failure(format: String? = nil) throws -> StoreError {
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) {
      _ = try MusicStore.importLibrary(from: source, into: store, format: format, storeOptions: options)
    }
    #expect(try folder.contents() == before)
    return try #require(error)
  }

  func withLibrary<T>(_ body: (MusicStore) throws -> T) throws -> T {
    let library = try MusicStore.open(at: store, options: options)
    let result = try body(library)
    try library.store.close()
    return result
  }

  func tracks() throws -> [LibraryTrack] { try withLibrary { try $0.tracks() } }

  /// Every row of the library's own tables, as the documented export has them.
  func rows() throws -> [Substring] {
    let target = folder.file("rows.jsonl")
    try withLibrary { _ = try $0.store.export(to: target) }
    defer { try? FileManager.default.removeItem(at: target) }
    return try String(contentsOf: target, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
      .filter { !$0.contains(#""table":"holdfast_quarantine""#) }
  }

  /// The bytes that the quarantine keeps, as text.
  func quarantine() throws -> [String] {
    try withLibrary { library in
      try library.store.read { reader in
        try reader.values("SELECT original FROM holdfast_quarantine ORDER BY id") { String(decoding: try $0.data(), as: UTF8.self) }
      }
    }
  }

  /// What is in the library: one line a track, and one a playlist with the titles of its tracks.
  func shelf() throws -> String {
    try withLibrary { library in
      let tracks = try library.tracks()
      let titles = Dictionary(tracks.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
      let lists = try library.playlists().map { list in
        "\(list.name): \(list.trackIDs.map { titles[$0] ?? "?" }.joined(separator: ", "))"
      }
      return (tracks.map(Self.line) + lists).joined(separator: "\n")
    }
  }

  private static func line(_ track: LibraryTrack) -> String {
    var line = "\(track.title) by \(track.artist) on \(track.album)"
    if let artist = track.albumArtist { line += " of \(artist)" }
    if let genre = track.genre { line += ", \(genre)" }
    if let year = track.year { line += ", year \(year)" }
    if let number = track.trackNumber { line += ", no. \(number)" }
    if let disc = track.discNumber { line += ", disc \(disc)" }
    if let duration = track.duration { line += ", \(duration) s" }
    if track.playCount > 0 { line += ", played \(track.playCount)" }
    if let rating = track.rating { line += ", rated \(rating)" }
    if let hash = track.artworkHash { line += ", picture \(hash.prefix(6))" }
    return "\(line) at \(track.file.location?.text ?? "no place")"
  }
}
