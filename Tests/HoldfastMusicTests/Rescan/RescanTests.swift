import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Rescan") struct RescanTests {
  private func file(_ path: String, _ content: String, hashed: Bool = false) -> ScannedFile { .of(path, content, hashed: hashed) }

  @Test("what is at its place stays as it is, and nothing is written")
  func nothingChanged() async throws {
    let files = [file("/Music/a.mp3", "A"), file("/Music/b.mp3", "B", hashed: true)]
    let world = try await RescanWorld(files)
    _ = world.world.statements.take()
    #expect(try await world.rescan(files) == "")
    #expect(world.world.statements.take().filter { !$0.hasPrefix("SELECT") } == [])
  }

  @Test("the first rescan after an import writes down size, time and hash, and calls nothing changed")
  func firstLook() async throws {
    let world = try await RescanWorld([("a", TrackFile(location: FileLocation(path: "/Music/a.mp3")))])
    #expect(try await world.rescan([file("/Music/a.mp3", "A", hashed: true)]) == "")
    #expect(try await world.files() == ["a /Music/a.mp3 available \(file("", "A").sizeBytes) A"])
  }

  @Test("a file that was edited keeps its track; a hash that is not known any more is forgotten", arguments: [true, false])
  func edited(hashed: Bool) async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true)])
    #expect(try await world.rescan([file("/Music/a.mp3", "A2", hashed: hashed)]) == "changed: a.mp3")
    #expect(try await world.files() == ["a.mp3 /Music/a.mp3 available \(file("", "A2").sizeBytes) \(hashed ? "A2" : "-")"])
  }

  @Test("a file that was only touched is not changed, when the hash says so")
  func touched() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true)])
    let now = ScannedFile(path: "/Music/a.mp3", sizeBytes: 1, modifiedAt: world.world.clock.now, contentHash: "A")
    #expect(try await world.rescan([now]) == "")
    #expect(try await world.library.tracks().map(\.file.modifiedAt) == [world.world.clock.now])
  }

  @Test("a moved file keeps its track: by its hash, and without hashes by size and time", arguments: [true, false])
  func moved(hashed: Bool) async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: hashed), file("/Music/b.mp3", "B", hashed: hashed)])
    let listing = [file("/Music/new folder/other name.mp3", "A", hashed: hashed), file("/Music/b.mp3", "B", hashed: hashed)]
    #expect(try await world.rescan(listing) == "moved: a.mp3 to /Music/new folder/other name.mp3")
    #expect(try await world.files().map { $0.prefix(23) } == ["a.mp3 /Music/new folder", "b.mp3 /Music/b.mp3 avai"])
  }

  @Test("a hash counts more than size and time, on either side")
  func hashFirst() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: true)])
    let sameTime = ScannedFile(
      path: "/Music/x.mp3", sizeBytes: file("", "A").sizeBytes, modifiedAt: file("", "A").modifiedAt, contentHash: "another")
    #expect(try await world.plan([sameTime]) == "missing: a.mp3; new: /Music/x.mp3")
    let sameHash = ScannedFile(path: "/Music/y.mp3", sizeBytes: 1, modifiedAt: nil, contentHash: "A")
    #expect(try await world.rescan([sameTime, sameHash]) == "moved: a.mp3 to /Music/y.mp3; new: /Music/x.mp3")
  }

  @Test("of several files with one content the one of the same name is it", arguments: [true, false])
  func nameDecides(hashed: Bool) async throws {
    let world = try await RescanWorld([file("/Music/1/a.mp3", "A", hashed: hashed), file("/Music/1/b.mp3", "A", hashed: hashed)])
    let listing = ["/Music/2/b.mp3", "/Music/2/a.mp3", "/Music/3/c.mp3"].map { file($0, "A", hashed: hashed) }
    #expect(try await world.rescan(listing) == "moved: a.mp3 to /Music/2/a.mp3, b.mp3 to /Music/2/b.mp3; new: /Music/3/c.mp3")
  }

  @Test("what more than one file could be is not guessed: it is missing, the files are new, and both is said", arguments: [true, false])
  func ambiguous(hashed: Bool) async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A", hashed: hashed)])
    let listing = ["/Music/x.mp3", "/Music/y.mp3"].map { file($0, "A", hashed: hashed) }
    #expect(
      try await world.rescan(listing)
        == "missing: a.mp3; new: /Music/x.mp3, /Music/y.mp3; unclear: a.mp3 among /Music/x.mp3 /Music/y.mp3")
    let two = try await RescanWorld([file("/Music/a.mp3", "A", hashed: hashed), file("/Music/b.mp3", "A", hashed: hashed)])
    #expect(
      try await two.rescan([file("/Music/x.mp3", "A", hashed: hashed)])
        == "missing: a.mp3, b.mp3; new: /Music/x.mp3; unclear: a.mp3 b.mp3 among /Music/x.mp3")
  }

  @Test("a file that is not found makes its track offline, and it is back when the file is, with everything of it")
  func offlineAndBack() async throws {
    let files = [file("/Music/a.mp3", "A"), file("/Music/b.mp3", "B")]
    let world = try await RescanWorld(files)
    #expect(try await world.rescan([files[1]]) == "missing: a.mp3")
    #expect(try await world.files()[0] == "a.mp3 /Music/a.mp3 offline \(files[0].sizeBytes) -")
    #expect(try await world.rescan([files[1]]) == "")
    #expect(try await world.rescan(files) == "back: a.mp3")
    #expect(try await world.library.tracks().map(\.playCount) == [3, 3])
    #expect(try await world.library.playlists().map(\.trackIDs.count) == [2])
  }

  @Test("an offline track is found again at another place, from outside the folders too")
  func foundElsewhere() async throws {
    let files = [file("/Old/a.mp3", "A"), file("/Old/b.mp3", "B")]
    let world = try await RescanWorld(files)
    #expect(try await world.rescan([files[1]], under: ["/Old"]) == "missing: a.mp3")
    // b.mp3 is not judged: as far as is known it is where it was, and the file here is a copy.
    let listing = [file("/Music/a.mp3", "A"), file("/Music/b.mp3", "B")]
    #expect(try await world.rescan(listing) == "moved: a.mp3 to /Music/a.mp3; back: a.mp3; new: /Music/b.mp3")
  }

  @Test("only tracks under the listed folders are judged, to whole names, and not those that could not be looked at")
  func judged() async throws {
    let paths = ["/Music/a.mp3", "/Musical/b.mp3", "/Other/c.mp3", "/Music/locked/d.mp3", "/Music/locked.mp3"]
    let world = try await RescanWorld(paths.map { file($0, $0) })
    #expect(try await world.plan([], under: []) == "")
    #expect(try await world.plan([], under: ["/Music/"], unreadable: ["/Music/locked"]) == "missing: a.mp3, locked.mp3")
    #expect(try await world.library.rescanPlan(of: [], under: ["/Music"], unreadable: ["/Music/locked"]).judged == 2)
    #expect(try await world.plan([], under: ["/"]) == "missing: a.mp3, b.mp3, c.mp3, d.mp3, locked.mp3")
  }

  @Test("a file that a track outside the folders has is neither new nor moved to another")
  func claimedFromOutside() async throws {
    let world = try await RescanWorld([file("/Other/a.mp3", "A"), file("/Music/b.mp3", "A")])
    #expect(try await world.rescan([file("/Other/a.mp3", "A")]) == "missing: b.mp3")
  }

  @Test("files of no track are new, by path")
  func new() async throws {
    let world = try await RescanWorld([file("/Music/a.mp3", "A")])
    let listing = ["/Music/z.mp3", "/Music/b.mp3"].map { file($0, $0) } + [file("/Music/a.mp3", "A")]
    #expect(try await world.rescan(listing) == "new: /Music/b.mp3, /Music/z.mp3")
  }

  @Test("an availability of a later version survives word for word")
  func unknownAvailability() async throws {
    let location = FileLocation(path: "/Music/a.mp3")
    let world = try await RescanWorld([("a", TrackFile(location: location, availability: FileAvailability(rawValue: "in the cloud")))])
    #expect(try await world.rescan([]) == "")
    #expect(try await world.rescan([file("/Music/a.mp3", "A")]) == "")
    #expect(try await world.library.tracks().map(\.file.availability.rawValue) == ["in the cloud"])
  }

  @Test("tracks without a file, and with one on the web, are left alone")
  func withoutFile() async throws {
    let world = try await RescanWorld([
      ("a", TrackFile(location: nil)), ("b", TrackFile(location: FileLocation(text: "https://example.com/b.mp3"))),
    ])
    #expect(try await world.rescan([], under: ["/"]) == "")
  }

  @Test("an imported file whose time has no fraction is the one that the disk has with one, stays as imported, and is found when it moves")
  func wholeSeconds() async throws {
    let source = try ImportWorld("Library.xml")
    let facts = ITunes.integer("Size", "1000") + ITunes.date("Date Modified", "2019-11-03T09:08:07Z")
    let library = ITunes.library([ITunes.track(1, more: facts), ITunes.track(2, more: facts)])
    _ = try source.importing(library)
    let onDisk = Date(timeIntervalSince1970: 1_572_772_087.678)
    func listed(_ paths: String...) -> [ScannedFile] { paths.map { ScannedFile(path: $0, sizeBytes: 1000, modifiedAt: onDisk) } }
    try await source.usingLibrary { library in
      let before = try await library.tracks()
      #expect(try await library.rescanPlan(of: listed("/Music/1.mp3", "/Music/2.mp3"), under: ["/Music"]).changes == [])
      let moved = try await library.rescan(listed("/Music/1.mp3", "/Music/new/2.mp3"), under: ["/Music"], missingShareAllowed: 0)
      #expect(moved.isDone && moved.plan.moved.map(\.trackID) == [ITunes.uuid(2)] && moved.plan.changed == [])
      #expect(try await library.tracks().map(\.file.modifiedAt) == before.map(\.file.modifiedAt))
      _ = try await library.rescan(listed("/Music/1.mp3", "/Music/2.mp3"), under: ["/Music"])
      #expect(try await library.tracks() == before)
    }
    // Nothing is newer in the store: what iTunes changes still comes in.
    #expect(try source.importing(library) == "tracks 2: 2 skipped\nskipped 2: in the store already")
    let renamed = ITunes.library([ITunes.track(1, "renamed", more: facts), ITunes.track(2, more: facts)])
    #expect(try source.importing(renamed) == "tracks 2: 1 merged, 1 skipped\nskipped 1: in the store already")
  }

  @Test("another second, before 1970 as well, is another time")
  func otherSecond() async throws {
    func file(_ seconds: Double) -> ScannedFile {
      ScannedFile(path: "/Music/a.mp3", sizeBytes: 1, modifiedAt: Date(timeIntervalSince1970: seconds))
    }
    for second in [1_572_772_087.0, 0, -5] {
      let world = try await RescanWorld([file(second)])
      #expect(try await world.plan([file(second + 0.999)]) == "")
      #expect(try await world.plan([file(second - 0.001)]) == "changed: a.mp3")
      #expect(try await world.rescan([file(second + 1)]) == "changed: a.mp3")
      #expect(try await world.library.tracks().map(\.file.modifiedAt) == [Date(timeIntervalSince1970: second + 1)])
    }
  }
}
