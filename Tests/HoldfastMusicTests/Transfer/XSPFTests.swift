import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastMusic

@Suite("Lists as XSPF") struct XSPFTests {
  private func list(_ tracks: String, attributes: String = " version=\"1\" xmlns=\"http://xspf.org/ns/0/\"", head: String = "") -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<playlist\(attributes)>\(head)<trackList>\n\(tracks)</trackList></playlist>"
  }

  private func track(_ location: String, _ more: String = "") -> String { "<track><location>\(location)</location>\(more)</track>\n" }

  @Test("all that the format says of a track comes in, and what has no field of its own stands in the metadata")
  func allFields() throws {
    let world = try ImportWorld("mix.xspf")
    let source = list(
      track(
        "file:///Music/a%20b.mp3",
        "<location>http://example.com/a.mp3</location><title>Ripe &amp; Ruin</title><creator>alt-J</creator><album>Wave</album>"
          + "<trackNum>3</trackNum><duration>72001</duration><image>http://example.com/a.jpg</image><annotation>loud</annotation>"
          + "<identifier>urn:a</identifier><meta rel=\"http://example.com/bpm\">96</meta>"
          + "<extension application=\"x\"><n><track/>9</n></extension>"),
      head: "<title>Mix</title><extension application=\"y\"><z>1</z></extension>")
    #expect(try world.importing(source) == allImported(["tracks": 1, "collections": 1, "collection_tracks": 1]))
    #expect(
      try world.shelf() == """
        Ripe & Ruin by alt-J on Wave, no. 3, 72.001 s at file:///Music/a%20b.mp3
        Mix: Ripe & Ruin
        """)
    let stored = try #require(try world.tracks().first)
    #expect(stored.artworkURL == "http://example.com/a.jpg")
    #expect(
      try stored.metadata.decoded() == [
        "location": "http://example.com/a.mp3", "annotation": "loud", "identifier": "urn:a", "meta http://example.com/bpm": "96",
      ])
    #expect(try world.importing(source).hasSuffix("skipped 3: in the store already"))
  }

  @Test("locations as they are in the wild: not escaped, relative, paths of Windows, with a base")
  func locations() throws {
    let world = try ImportWorld("mix.xspf")
    let source = list(
      track("file:///Music/a b é.mp3") + track("sub/c%20d.mp3") + track("../e f.mp3") + track("C:\\Music\\g.mp3")
        + track("/Music/h%20i.mp3")
        + "<track xml:base=\"http://example.com/x/y\">" + "<location>j.mp3</location></track>" + track("100% k.mp3"))
    _ = try world.report(source)
    #expect(
      try world.shelf(in: "/Lists") == """
        a b é by Unknown Artist on Unknown Album at file:///Music/a b é.mp3
        c d by Unknown Artist on Unknown Album at file:///Lists/sub/c%20d.mp3
        e f by Unknown Artist on Unknown Album at file:///e f.mp3
        g by Unknown Artist on Unknown Album at file:///C:/Music/g.mp3
        h i by Unknown Artist on Unknown Album at file:///Music/h%20i.mp3
        j by Unknown Artist on Unknown Album at http://example.com/x/j.mp3
        100% k by Unknown Artist on Unknown Album at file:///Lists/100% k.mp3
        mix: a b é, c d, e f, g, h i, j, 100% k
        """)
  }

  @Test(
    "what verification compares of a location is the path that is meant, made another way than the URL that is stored",
    arguments: [
      ("sub/c%20d.mp3", "/Lists/sub/c d.mp3"), ("../100% e.mp3", "/100% e.mp3"), ("file: f.mp3", "/Lists/file: f.mp3"),
      ("C:\\Music\\g%20.mp3", "C:/Music/g%20.mp3"), ("/Music/h%20i.mp3", "/Music/h i.mp3"), ("/C%3A/k.mp3", "C:/k.mp3"),
      ("\\\\server\\share\\l.mp3", "//server/share/l.mp3"),
    ])
  func meantPaths(text: String, path: String) throws {
    var location = try #require(FileList.Location(url: text, base: "file:///Lists/"))
    #expect(location.isPath)
    #expect(location.meant == path)
    #expect(location.written(location.stored) == .string(path))
    // As a conversion would have it that escapes once too often.
    location.stored = FileLocation(text: location.stored.text.replacingOccurrences(of: "3", with: "%2533"))
    #expect(location.written(location.stored) != .string(path))
  }

  @Test("a reference whose escapes hide a step to another folder is not guessed at, and one that is no text stays as it is")
  func strangeEscapes() throws {
    #expect(FileList.Location(url: "a/%2E%2E/b.mp3", base: "file:///Lists/") == nil)
    let legacy = try #require(FileList.Location(url: "%E9.mp3", base: "file:///Lists/"))
    #expect([legacy.meant, legacy.stored.text] == ["file:///Lists/%E9.mp3", "file:///Lists/%E9.mp3"])
    let world = try ImportWorld("mix.xspf")
    #expect(try world.importing(list(track("a/%2E%2E/b.mp3"))).contains("line 3: this location cannot be kept as it is"))
  }

  @Test("an element that stands many times is numbered, in a time that is not the square of how many there are")
  func manyElements() throws {
    let world = try ImportWorld("mix.xspf")
    let count = ProofRun.isLong ? 20_000 : 4_000
    let more = "<link rel=\"2\">two</link>" + (1...count).map { "<link>\($0)</link>" }.joined()
    _ = try world.report(list(track("file:///a.mp3", more)))
    let metadata = try #require(try world.tracks().first).metadata.decoded()
    #expect(metadata.count == count + 1)
    #expect(["link", "link 2", "link 3", "link \(count + 1)"].map { metadata[$0] } == ["1", "two", "2", "\(count)"])
  }

  @Test("the namespace may be missing, or have a prefix")
  func namespaces() throws {
    let plain = list(track("file:///a.mp3", "<title>A</title>"), attributes: "")
    #expect(try ImportWorld("a.xspf").importing(plain).hasPrefix("tracks 1: 1 imported"))
    let prefixed = """
      <x:playlist xmlns:x="http://xspf.org/ns/0/"><x:trackList><x:track><x:location>file:///a.mp3</x:location></x:track></x:trackList></x:playlist>
      """
    #expect(try ImportWorld("a.xspf").importing(prefixed).hasPrefix("tracks 1: 1 imported"))
  }

  @Test("a track that names no file, and numbers that are none, go into the quarantine; what a playlist cannot hold is left out")
  func damage() throws {
    let world = try ImportWorld("mix.xspf")
    let source = list(
      "<track><title>A &amp; B</title></track>\n" + track("file:///a.mp3", "<trackNum>x</trackNum><duration>1.5</duration>"),
      head: "<creator>me</creator>")
    #expect(
      try world.importing(source) == """
        tracks 2: 1 imported, 1 quarantined
        collections 1: 1 imported
        collection_tracks 2: 1 imported, 1 quarantined
        playlist_notes 1: 1 skipped
        skipped 1: a playlist has no place for creator: "mix"
        line 3: it names no file
        line 4.trackNum: trackNum should be a whole number
        line 4.duration: duration should be a whole number of milliseconds
        line 3: its track is quarantined
        """)
    #expect(
      try world.quarantine() == ["<track><title>A &amp; B</title></track>", "x", "1.5", "<track><title>A &amp; B</title></track>"])
  }

  @Test("a list that is cut off is refused, and so is other XML")
  func refused() throws {
    let cut = try ImportWorld("a.xspf").failure("<playlist><trackList><track>")
    #expect(cut.code == .invalidSource)
    #expect(cut.offset == 28)
    let other = try ImportWorld("a.xspf").failure("<rss/>", format: "xspf")
    #expect(other.message == "this is no XSPF: it is a <rss>, where <playlist> was expected, at line 1")
  }

  @Test(
    "a base on the web is followed as RFC 3986 says",
    arguments: [
      ("http://o/p/q.xspf", "../../../../c.mp3", "http://o/c.mp3"), ("http://o", "d.mp3", "http://o/d.mp3"),
      ("http://host/dir/list.xspf", "/abs.mp3", "http://host/abs.mp3"), ("https://h:8/a/b/", "../x y?q=../z", "https://h:8/a/x y?q=../z"),
      ("http://h/a/b", "//i/c.mp3", "http://i/c.mp3"), ("http://h/a/b", "c/./d/..", "http://h/a/c/"),
      ("http://h/a/b", "C:\\m.mp3", "file:///C:/m.mp3"),
    ])
  func webBases(base: String, location: String, url: String) throws {
    let world = try ImportWorld("mix.xspf")
    _ = try world.report(list(track(location), attributes: " xml:base=\"\(base)\""))
    #expect(try world.tracks().map { $0.file.location?.text } == [url])
  }

  @Test("a playlist without a list of tracks is refused; one whose list is empty is empty")
  func withoutList() throws {
    let error = try ImportWorld("mix.xspf").failure("<playlist><item/></playlist>")
    #expect(error.code == .invalidSource && error.message.hasSuffix("is no XSPF: its <playlist> has no <trackList>"))
    #expect(try ImportWorld("mix.xspf").importing("<playlist><trackList/></playlist>") == "collections 1: 1 imported")
  }

  @Test("markup inside of a text costs nothing of it")
  func markupInside() throws {
    let world = try ImportWorld("mix.xspf")
    _ = try world.report(
      list(track("file:///m/<b>a<i/></b>.mp3", "<title>one <b rel=\"x\">two</b> three</title><meta rel=\"y\">4<b rel=\"x\">5</b></meta>")))
    #expect(try world.shelf() == "one two three by Unknown Artist on Unknown Album at file:///m/a.mp3\nmix: one two three")
    let stored = try #require(try world.tracks().first)
    #expect(try stored.metadata.decoded() == ["meta y": "45"])
  }
}
