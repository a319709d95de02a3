import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastMusic

@Suite("Characters that XML forbids") struct ForbiddenCharacterTests {
  @Test(
    "in an iTunes library are left out, and the record comes in with its own bytes in the quarantine",
    arguments: ["\u{1}", "\u{0}", "&#55357;&#56846;", "&#x1F;", "\u{FFFE}"])
  func iTunes(character: String) throws {
    let world = try ImportWorld("Library.xml")
    let tracks = [ITunes.track(1), ITunes.track(2, "bad \(character) one"), ITunes.track(3)]
    let source = ITunes.library(tracks, [ITunes.playlist(20, "Li\(character)st", [2, 3]), ITunes.playlist(21, "Other", [1])])
    #expect(
      try world.importing(source) == """
        tracks 3: 3 imported
        collections 2: 2 imported
        collection_tracks 3: 3 imported
        Tracks.102.Name: a character that XML does not allow was left out at line 22
        Playlists[0].Name: a character that XML does not allow was left out at line 41
        """)
    #expect(try world.tracks().map(\.title).sorted() == ["bad  one", "song 1", "song 3"])
    #expect(try world.shelf().contains("List: bad  one, song 3"))
    let kept = try world.quarantine()
    let dict = try #require(tracks[1].range(of: "<dict>")).lowerBound
    #expect(kept.contains { $0.contains(tracks[1][dict...].trimmingCharacters(in: .whitespacesAndNewlines)) }, "\(kept)")
    #expect(kept.contains { $0.contains("<string>Li\(character)st</string>") }, "\(kept)")
    #expect(try world.importing(source).hasPrefix("tracks 3: 3 skipped"))
  }

  @Test("outside of a track and a playlist are told with their line")
  func outside() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library([ITunes.track(1)], head: "\t<key>Music Folder</key><string>file:///\u{2}M</string>\n")
    let report = try world.report(source)
    #expect(report.counts["tracks"]?.imported == 1)
    #expect(report.notes == ["a character that XML does not allow was left out (first: line 8)": 1])
  }

  @Test("wherever one stands, the report tells it", arguments: 0..<4)
  func everywhere(place: Int) throws {
    let world = try ImportWorld("Library.xml")
    let whole = ITunes.library([ITunes.track(1), ITunes.track(2)], [ITunes.playlist(20, "List", [2])])
    let marks = ["<key>Tracks", "<key>102", "\t<key>Playlists", "</plist>"]
    let source = whole.replacingOccurrences(of: marks[place], with: marks[place] + "\u{1}")
    let report = try world.report(source)
    #expect(report.counts["tracks"]?.imported == 2)
    #expect(report.notes?.keys.contains { $0.hasPrefix(XMLLeftOut.reason) } == true, "\(report.notes ?? [:])")
  }

  @Test("in a track that cannot be imported, and in another encoding, the track is kept as far as it is known")
  func damagedTrack() throws {
    let world = try ImportWorld("Library.xml")
    let broken = ITunes.track(1, "a\u{1}b", id: "XYZ")
    #expect(try world.importing(ITunes.library([broken])).hasSuffix("Persistent ID should be 16 hexadecimal digits, found \"XYZ\""))
    #expect(try world.quarantine().contains { $0.contains("<key>Name</key><string>a\u{1}b</string>") })
    let latin = try ImportWorld("Library.xml")
    let text = ITunes.library([ITunes.track(1, "é\u{1}b")]).replacingOccurrences(of: "UTF-8", with: "ISO-8859-1")
    try #require(text.data(using: .isoLatin1)).write(to: latin.source)
    #expect(try latin.report().counts["tracks"]?.imported == 1)
    #expect(try latin.quarantine().contains { $0.contains("<key>Name</key><string>éb</string>") })
  }

  @Test("in a list as XSPF are left out of the track, whose own text is kept, or noted")
  func xspf() throws {
    let world = try ImportWorld("mix.xspf")
    let source = """
      <playlist><title>M\u{3}ix</title><trackList>
      <track><location>file:///a.mp3</location><title>o\u{1}ne</title></track>
      <track><location>file:///b.mp3</location><title>two</title></track></trackList></playlist>
      """
    let report = try world.report(source)
    #expect(report.counts["tracks"]?.imported == 2)
    #expect(
      report.problems.map { "\($0.path) \($0.field ?? "") \($0.reason)" } == [
        "line 2 track a character that XML does not allow was left out at line 2"
      ])
    #expect(
      report.notes?.keys.contains("a character that XML does not allow was left out (first: line 1)") == true, "\(report.notes ?? [:])")
    #expect(try world.shelf().hasSuffix("Mix: one, two"))
    #expect(try world.quarantine().contains("<track><location>file:///a.mp3</location><title>o\u{1}ne</title></track>"))
  }
}
