import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A server of Audiobookshelf, by its API's JSON") struct AudiobookshelfTests {
  private static let red = ["Red, Ann, Bob [\"Old\", \"Fantasy\"]", "  1 01 at 100.0", "> 2 02 at 50.5", "  3 03"]

  @Test("an item is a book with its files in order, its tags and genres, and its position in the right file; again it adds nothing")
  func whole() throws {
    let world = try ImportWorld("items.json")
    let report = try world.report(Shelf.list(Shelf.item(more: Shelf.progress(150.5))))
    #expect(report.format == "audiobookshelf-json" && report.problems.isEmpty)
    #expect(report.counts["tracks"]?.imported == 3 && report.counts["playback_states"]?.imported == 2)
    #expect(try world.shelfOfServer() == Self.red)
    #expect(
      Shelf.notes(report) == [
        "the library has no place for a file's codec, bit rate and format", "the library has no place for chapters",
        "the library has no place for narrators",
      ])
    let book = try #require(try world.withLibrary { try $0.store.read { try AudiobookLibrary.collections(in: $0) } }.first)
    #expect(IDCodec.lowercase(book.id) == Shelf.book && book.description == "Long")
    #expect(DateCodec.milliseconds(book.createdAt) == 1_700_000_000_123)
    #expect(book.source.kind == .external(description: "/audiobooks/Red Book"))
    let track = try #require(book.tracks.first)
    #expect(track.location.kind == .external(url: "file:///audiobooks/Red%20Book/01.mp3"))
    #expect(track.filename == "01.mp3" && track.fileSize == 1000 && track.duration == 100)
    #expect(track.metadata.text == #"{"tagAlbum":"Red"}"#)
    let again = try world.report()
    #expect(again.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 && $0.quarantined == 0 }, "\(again.text)")
    #expect(try world.shelfOfServer() == Self.red)
  }

  @Test("a newer answer updates what changed on the server, and keeps what is newer in the library")
  func newer() throws {
    let world = try ImportWorld("items.json")
    _ = try world.report(Shelf.list(Shelf.item(more: Shelf.progress(150.5))))
    let cover = CollectionCover(.solid(colorHex: "#000000"))
    try world.withLibrary { library in
      try library.store.write { tx in
        var book = try #require(try AudiobookLibrary.collections(in: tx).first)
        book.cover = cover
        try AudiobookLibrary.save(book, in: tx)
        let heard = PlaybackState(position: 7, updatedAt: Date(timeIntervalSince1970: 1_800_000_000))
        try AudiobookLibrary.savePlaybackState(heard, of: book.tracks[2].id, in: tx)
      }
    }
    // Renamed before the listener went on, and positions of then.
    _ = try world.report(
      Shelf.list(Shelf.item(title: "\"Blue\"", updatedAt: 1_750_000_000_000, more: Shelf.progress(10, at: 1_750_000_000_000))))
    #expect(try world.shelfOfServer() == ["Red, Ann, Bob [\"Old\", \"Fantasy\"]", "  1 01 at 10.0", "  2 02 at 50.5", "> 3 03 at 7.0"])
    // Renamed after that, with the positions of before.
    _ = try world.report(
      Shelf.list(Shelf.item(title: "\"Blue\"", updatedAt: 1_900_000_000_000, more: Shelf.progress(10, at: 1_750_000_000_000))))
    #expect(try world.shelfOfServer().first == "Blue, Ann, Bob [\"Old\", \"Fantasy\"]")
    #expect(try world.shelfOfServer().last == "> 3 03 at 7.0")
    let book = try world.withLibrary { try $0.store.read { try AudiobookLibrary.collections(in: $0) } }.first
    #expect(book?.cover == cover)
  }

  @Test("an older answer does not take a position back, and a length below 0 is left out")
  func older() throws {
    let world = try ImportWorld("items.json")
    _ = try world.report(Shelf.list(Shelf.item(more: Shelf.progress(150.5, at: 1_750_000_000_000))))
    let before = try world.shelfOfServer()
    let report = try world.report(Shelf.list(Shelf.item(more: Shelf.progress(20, at: 1_600_000_000_000))))
    #expect(try world.shelfOfServer() == before)
    // The format itself compares the times, so the report has the place alone.
    #expect(report.firstNewer?.path == "$.results[0].userMediaProgress" && report.firstNewer?.store == nil, "\(report.text)")
    #expect(report.text.contains("skipped 1: the store is newer (first: $.results[0].userMediaProgress)"), "\(report.text)")
    let other = try ImportWorld("items.json")
    let lengths = try other.report(Shelf.list(Shelf.item()).replacingOccurrences(of: "\"duration\":100", with: "\"duration\":-1"))
    #expect(lengths.problems.contains { $0.field == "duration" }, "\(lengths.problems)")
  }

  @Test("a finished book is heard to the end, and a book that nobody began has no position")
  func finished() throws {
    let world = try ImportWorld("items.json")
    let report = try world.report(
      Shelf.list(Shelf.item(more: Shelf.progress(0, isFinished: true)), Shelf.item(Shelf.other, more: Shelf.progress(0))))
    #expect(report.skipped == ["not begun": 1])
    #expect(
      try world.shelfOfServer() == [
        Self.red[0], "  1 01 at 100.0", "  2 02 at 100.0", "> 3 03 at 100.0", Self.red[0], "  1 01", "  2 02", "  3 03",
      ])
  }

  @Test(
    "podcasts, books without audio and files that the server leaves out are skipped; the short form of an item and damage are kept aside")
  func leftOut() throws {
    let world = try ImportWorld("items.json")
    let short = Shelf.item(Shelf.other).replacingOccurrences(of: "\"audioFiles\"", with: "\"numAudioFiles\"")
    let report = try world.report(
      Shelf.list(
        #"{"id":"p","mediaType":"podcast","media":{"metadata":{},"episodes":[]}}"#, Shelf.item("e", files: "[]"), short, "7",
        Shelf.item(files: "[\(Shelf.file(1)),\(Shelf.file(2, more: #""exclude":true,"#)),8]", more: Shelf.progress(150))))
    #expect(report.counts["podcasts"]?.skipped == 1)
    #expect(report.skipped["a book without audio"] == 1 && report.skipped["the server leaves this file out of its book"] == 1)
    let problems = report.problems.map { "\($0.path): \($0.reason)" }
    #expect(problems.count == 4, "\(problems)")
    #expect(problems.first?.hasPrefix("$.results[2]: the short form of an item does not list its files") == true)
    #expect(problems.dropFirst().first == "$.results[3]: it should be an object in which no key stands twice")
    #expect(problems.last == "$.results[4].userMediaProgress: a file of its book is quarantined")
    #expect(try world.shelfOfServer() == [Self.red[0], "  1 01"])
  }

  @Test("one item alone, the list of a batch, and an item with an id from before version 2.3 come in", arguments: [0, 1, 2])
  func forms(form: Int) throws {
    let world = try ImportWorld("items.json")
    let item = Shelf.item(form == 2 ? "li_8gch9ve09orgn4fdz8" : Shelf.book)
    _ = try world.report(form == 0 ? item : #"{"libraryItems":[\#(item)]}"#)
    #expect(try world.shelfOfServer().first == Self.red[0])
    #expect(try world.report().counts["collections"]?.skipped == 1)
  }

  @Test("a backup is refused with what to do")
  func backup() throws {
    let world = try ImportWorld("2025-01-01T0130.audiobookshelf")
    let error = try world.failure("PK\u{3}\u{4} and more")
    #expect(error.code == .invalidSource && error.suggestion == "Unzip it, and import its file absdatabase.sqlite.")
  }
}
