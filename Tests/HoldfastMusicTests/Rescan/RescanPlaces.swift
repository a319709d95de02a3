import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

/// Which file is which, where names and places are not plain.
@Suite("Rescan of unusual places") struct RescanPlaces {
  private func file(_ path: String, _ content: String, hashed: Bool = false) -> ScannedFile { .of(path, content, hashed: hashed) }

  @Test("two files that swapped names swap their tracks", arguments: [true, false])
  func swapped(hashed: Bool) async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: hashed), file("/Music/b.mp3", "B", hashed: hashed)])
    let listing = [file("/Music/a.mp3", "B", hashed: hashed), file("/Music/b.mp3", "A", hashed: hashed)]
    #expect(try await world.rescan(listing) == "moved: a.mp3 to /Music/b.mp3, b.mp3 to /Music/a.mp3")
    #expect(try await world.files().map { $0.prefix(20) } == ["a.mp3 /Music/b.mp3 a", "b.mp3 /Music/a.mp3 a"])
  }

  @Test("files that were renamed in a row, each to the name of the next, keep their tracks")
  func chain() async throws {
    let contents = ["A", "B", "C"]
    let world = try await RescanWorld(zip(1..., contents).map { file("/Music/\($0).mp3", $1, hashed: true) })
    let listing = zip(2..., contents).map { file("/Music/\($0).mp3", $1, hashed: true) }
    #expect(try await world.rescan(listing) == "moved: 1.mp3 to /Music/2.mp3, 2.mp3 to /Music/3.mp3, 3.mp3 to /Music/4.mp3")
  }

  @Test("a file that was edited stays where it is, though a copy of its old content is elsewhere")
  func editedBesideCopy() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true)])
    let listing = [file("/Music/a.mp3", "A2", hashed: true), file("/Music/backup/a.mp3", "A", hashed: true)]
    #expect(try await world.rescan(listing) == "changed: a.mp3; new: /Music/backup/a.mp3")
  }

  @Test("a chain of renames whose end stayed where it was moves none out of its place")
  func chainThatStays() async throws {
    // B and C have the contents that others wait for, and B was edited: nobody waits for what is at 2.mp3 now.
    let world = try await RescanWorld([file("/Music/2.mp3", "B", hashed: true), file("/Music/3.mp3", "C", hashed: true)])
    let listing = [
      file("/Music/2.mp3", "B2", hashed: true), file("/Music/3.mp3", "B", hashed: true), file("/Music/4.mp3", "C", hashed: true),
    ]
    #expect(try await world.rescan(listing) == "changed: 2.mp3, 3.mp3; new: /Music/4.mp3")
  }

  @Test("a file that was moved over another takes the place, and the other's track is missing")
  func overwritten() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true), file("/Music/b.mp3", "B", hashed: true)])
    #expect(try await world.rescan([file("/Music/b.mp3", "A", hashed: true)]) == "moved: a.mp3 to /Music/b.mp3; missing: b.mp3")
  }

  @Test("a track that is offline does not take the file that another track has at its place by now, edited or not")
  func placeOfAnother() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true), file("/Music/b.mp3", "B", hashed: true)])
    _ = try await world.rescan([file("/Music/b.mp3", "A", hashed: true)])
    #expect(try await world.rescan([file("/Music/b.mp3", "A2", hashed: true)]) == "changed: a.mp3")
    let listing = [file("/Music/b.mp3", "A2", hashed: true), file("/Music/c.mp3", "B", hashed: true)]
    #expect(try await world.rescan(listing) == "moved: b.mp3 to /Music/c.mp3; back: b.mp3")
  }

  @Test("a file that was copied over another leaves both tracks where they are")
  func copiedOver() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true), file("/Music/b.mp3", "B", hashed: true)])
    #expect(try await world.rescan(["a", "b"].map { file("/Music/\($0).mp3", "A", hashed: true) }) == "changed: b.mp3")
  }

  @Test("a rename of upper and lower case keeps the track, whatever is known of the file")
  func caseOnly() async throws {
    let unknown = try await RescanWorld([("a", TrackFile(location: FileLocation(path: "/Music/abba/song.mp3")))])
    #expect(try await unknown.rescan([file("/Music/ABBA/Song.mp3", "A")]) == "moved: a to /Music/ABBA/Song.mp3")
    let edited = try await RescanWorld([file("/Music/song.mp3", "A")])
    #expect(try await edited.rescan([file("/Music/Song.mp3", "A2")]) == "moved: song.mp3 to /Music/Song.mp3; changed: song.mp3")
  }

  @Test("on a volume that tells the cases apart, names that differ in case are two files")
  func twoCases() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A"), file("/Music/A.mp3", "B")])
    #expect(try await world.rescan([file("/Music/A.mp3", "B")]) == "missing: a.mp3")
    let hashed = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true)])
    #expect(try await hashed.rescan([file("/Music/A.mp3", "B", hashed: true)]) == "missing: a.mp3; new: /Music/A.mp3")
    let elsewhere = try await RescanWorld([file("/Music/a.mp3", "A")])
    #expect(
      try await elsewhere.rescan([file("/Music/A.mp3", "B"), file("/Music/x/a.mp3", "A")])
        == "moved: a.mp3 to /Music/x/a.mp3; new: /Music/A.mp3")
  }

  @Test("composed and decomposed spellings are one place, and the stored one stays")
  func spellings() async throws {
    let (composed, decomposed) = ("/Music/caf\u{E9}.mp3", "/Music/cafe\u{301}.mp3")
    let world = try await RescanWorld([file(composed, "A")])
    #expect(try await world.rescan([file(decomposed, "A")]) == "")
    #expect(try await world.library.tracks().map(\.file.location) == [FileLocation(path: composed)])
    #expect(try await world.rescan([file(decomposed, "A"), file("/Music/x.mp3", "A")], under: ["/"]) == "new: /Music/x.mp3")
    // Two files on a volume that keeps both apart: the one that the track names is its.
    let both = [file(decomposed, "B"), file(composed, "A")]
    #expect(try await world.rescan(both) == "repeated: \(decomposed)")
  }

  @Test("a folder may be given in another spelling than its tracks")
  func rootSpellings() async throws {
    let world = try await RescanWorld([file("/Mu\u{308}sic/a.mp3", "A")])
    #expect(try await world.plan([], under: ["/M\u{FC}sic/"]) == "missing: a.mp3")
  }

  @Test("a file that is listed twice counts once; told apart by size, the first counts and the other is said")
  func listedTwice() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A")])
    let (a, b) = (file("/Music/a.mp3", "A"), file("/Music/b.mp3", "B"))
    #expect(try await world.rescan([a, b, a, b]) == "new: /Music/b.mp3")
    #expect(try await world.rescan([a, file("/Music/a.mp3", "A2")]) == "repeated: /Music/a.mp3")
  }

  @Test("two tracks of one file are found, moved and lost together")
  func twoTracks() async throws {
    let a = file("/Music/a.mp3", "A")
    let world = try await RescanWorld([a, a])
    #expect(try await world.rescan([a]) == "")
    #expect(try await world.rescan([file("/Music/b.mp3", "A")]) == "moved: a.mp3 to /Music/b.mp3, a.mp3 to /Music/b.mp3")
    #expect(try await world.rescan([]) == "missing: a.mp3, a.mp3")
    #expect(try await world.rescan([a]) == "moved: a.mp3 to /Music/a.mp3, a.mp3 to /Music/a.mp3; back: a.mp3, a.mp3")
  }

  @Test(
    "percent signs, number signs, blanks and question marks in names are names",
    arguments: ["100%.mp3", "%41#?.mp3", "a b %zz.mp3", "%.mp3"])
  func escapes(name: String) async throws {
    let path = "/Music/\(name)"
    let world = try await RescanWorld([file("/Music/a.mp3", "A")])
    #expect(try await world.rescan([file(path, "A")]) == "moved: a.mp3 to \(path)")
    #expect(try await world.library.tracks().map(\.file.location?.path) == [path])
    #expect(try await world.rescan([file(path, "A")]) == "")
  }

  @Test("paths of Windows are those of the locations that libraries hold")
  func windows() async throws {
    let location = FileLocation(text: "file://localhost/C:/Music/a%20b.mp3")
    let world = try await RescanWorld([("a", TrackFile(location: location, sizeBytes: 1))])
    #expect(try await world.rescan([file(#"C:\Music\a b.mp3"#, "A")], under: [#"C:\"#]) == "")
    #expect(try await world.library.tracks().map(\.file.location) == [location])
    #expect(try await world.rescan([file(#"C:\Music\x.mp3"#, "A")], under: [#"C:\Music"#]) == "moved: a to C:/Music/x.mp3")
    #expect(try await world.plan([], under: [#"D:\"#]) == "")
    #expect(try await world.plan([], under: [#"C:\Music\"#]) == "missing: a")
  }

  @Test("a date that cannot be stored counts as unknown and holds nothing up")
  func strangeDate() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A")])
    let strange = ScannedFile(path: "/Music/a.mp3", sizeBytes: 5, modifiedAt: Date(timeIntervalSince1970: .infinity))
    #expect(try await world.rescan([strange]) == "")
    #expect(try await world.library.tracks().map(\.file.modifiedAt) == [nil])
  }
}
