import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Files that should be iTunes's") struct ITunesSourceTests {
  private let one = ITunes.library([ITunes.track(1, "三体")])

  @Test("a later export of one library updates it under any file name, and another library's does not")
  func laterExport() throws {
    let world = try ImportWorld("Library.xml")
    func export(_ plays: String, of library: String, named name: String) throws -> String {
      let head = ITunes.string("Library Persistent ID", library)
      let text = ITunes.library([ITunes.track(1, "Song", more: ITunes.integer("Play Count", plays))], head: head)
      let file = world.folder.file(name)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return try MusicStore.importLibrary(from: file, into: world.store, storeOptions: world.options).picture
    }
    #expect(try export("3", of: "A1", named: "Library 2025.xml") == "tracks 1: 1 imported")
    #expect(try export("5", of: "A1", named: "Library 2026.xml") == "tracks 1: 1 merged")
    #expect(try export("9", of: "B2", named: "Other.xml") == "tracks 1: 1 skipped\nskipped 1: the store is newer")
    #expect(try world.tracks().map(\.playCount) == [5])
  }

  @Test("a library without tracks, or without a list of them, is empty")
  func empty() throws {
    let world = try ImportWorld("Library.xml")
    #expect(try world.importing(ITunes.library([])) == "")
    let none = "<plist version=\"1.0\"><dict><key>Playlists</key><array>\(ITunes.playlist(20, "Mix", [1]))</array></dict></plist>"
    #expect(
      try world.importing(none) == """
        collections 1: 1 imported
        collection_tracks 1: 1 quarantined
        Playlists[0].Playlist Items[0]: there is no such track
        """)
  }

  @Test(
    "what is not a music library is refused, and the message says what it is",
    arguments: [
      (
        "<plist version=\"1.0\"><dict><key>CFBundleName</key><string>Music</string></dict></plist>",
        "is a property list and not a music library: it has no Tracks and no Playlists"
      ),
      ("<plist version=\"1.0\"><array/></plist>", "is a property list and not a music library"),
      ("<plist version=\"1.0\"><dict><key>Tracks</key><array/></dict></plist>", "is not a music library: Tracks is not a list of them"),
      ("<html><body/></html>", "this is no property list: <html> has no place at line 1"),
      ("<plist><dict><key>Tracks</key></dict></plist>", "this is no property list: the end of <dict> behind a key has no place at line 1"),
      ("<plist><dict><string>x</string></dict></plist>", "this is no property list: a value without a key has no place at line 1"),
      ("<plist><dict>\n\nx</dict></plist>", "this is no property list: a text has no place at line 3"),
      ("bplist00\u{1}\u{2}", "is a binary property list"),
      ("<plist><dict><key>Tracks</key><dict></plist>", "the XML stops making sense at line 1"),
    ])
  func others(text: String, message: String) throws {
    let error = try ImportWorld("Library.xml").failure(text)
    #expect(error.code == .invalidSource)
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test("a binary property list has a remedy")
  func binary() throws {
    #expect(
      try ImportWorld("Library.xml").failure("bplist00").recoverySuggestion
        == "Export the library as XML: in Music or iTunes with File, Library, Export Library.")
  }

  @Test("it is read in the encoding that it declares", arguments: [String.Encoding.utf16, .isoLatin1])
  func encodings(encoding: String.Encoding) throws {
    let world = try ImportWorld("Library.xml")
    let name = encoding == .utf16 ? "UTF-16" : "ISO-8859-1"
    let text = ITunes.library([ITunes.track(1, "Café")]).replacingOccurrences(of: "UTF-8", with: name)
    try #require(text.data(using: encoding)).write(to: world.source)
    #expect(try world.importing() == "tracks 1: 1 imported")
    #expect(try world.shelf() == "Café by Unknown Artist on Unknown Album at file:///Music/1.mp3")
  }

  @Test("a file that ends in the middle of a tag is told as one that is cut off")
  func cutTags() throws {
    let begin = try #require(one.range(of: "<dict>")).lowerBound
    let world = try ImportWorld("Library.xml")
    var known: Set<Substring> = []
    for tag in one[begin...].indices where one[tag] == "<" {
      // Of equal tags the first, unless the run is long.
      guard known.insert(one[tag...].prefix { $0 != ">" }).inserted || ProofRun.isLong else { continue }
      for length in 1...3 {
        let text = String(one[..<one.index(tag, offsetBy: length)])
        let error = try world.failure(text)
        #expect(error.offset == text.utf8.count && error.message.hasPrefix("the XML ends at byte \(text.utf8.count)"), "\(error.message)")
      }
    }
  }

  @Test(
    "a newer version is refused before anything of it is read, also one that no number holds", arguments: ["2", "99999999999999999999"])
  func newer(version: String) throws {
    let error = try ImportWorld("Library.xml").failure(
      one.replacingOccurrences(
        of: "<key>Major Version</key><integer>1</integer>", with: ITunes.integer("Major Version", version)))
    #expect(error.code == .newerSource && error.message.contains("version \(version)"), "\(error.message)")
  }
}
