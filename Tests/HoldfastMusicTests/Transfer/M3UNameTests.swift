import Testing

@testable import HoldfastMusic

@Suite("Artist and title in M3U")
struct M3UNameTests {
  @Test(
    "the path says which half is the artist, also when the other half is empty",
    arguments: [
      ("Take On Me - A-Ha", "/Music/A-Ha/Hunting High/01 Take On Me.m4a", "A-Ha", "Take On Me"),
      ("A-Ha - Take On Me", "/Music/A-Ha/Hunting High/01 Take On Me.m4a", "A-Ha", "Take On Me"),
      ("A-Ha - Take On Me", "/Music/01.mp3", "A-Ha", "Take On Me"),
      ("The Beatles - Hey Jude", "/m/Hey Jude - The Beatles.mp3", "The Beatles", "Hey Jude"),
      ("Michael Jackson - Thriller", "/Music/Thriller/Track 4.mp3", "Michael Jackson", "Thriller"),
      ("Nena - 99 Luftballons", "/Nena/03 99 Luftballons.mp3", "Nena", "99 Luftballons"),
      ("Live - Part 1 - AC/DC", "C:\\Music\\AC_DC\\03 Live - Part 1.mp3", "AC/DC", "Live - Part 1"),
      ("Title - Björk", "http://host/Bj%C3%B6rk/Album/Title.mp3", "Björk", "Title"), ("Title - ", "/Music/x.mp3", nil, "Title"),
      (" - Title", "/Music/x.mp3", nil, "Title"), ("Abba - ", "/Music/Abba/x.mp3", nil, "Abba"),
      (" - A-Ha", "A-Ha/Hunting High/02 Train of Thought.mp3", "A-Ha", nil),
      (" - A-Ha", "/Music/A-Ha/A-Ha/A-Ha.mp3", nil, "A-Ha"), (" - Thriller", "/Music/Thriller/01 Beat It.mp3", nil, "Thriller"),
      ("Only a title", "/x.mp3", nil, "Only a title"),
    ] as [(String, String, String?, String?)])
  func halves(name: String, path: String, artist: String?, title: String?) throws {
    let found = M3UName.read(name, of: path)
    #expect(found.halves.artist == artist && found.halves.title == title)
  }

  @Test(
    "where the path is silent, the list's other lines say which half is the title, and then a folder above the album",
    arguments: [
      ("Symphony No. 5 - Orchestra", "/1-01 Track 1.m4a", true, "Orchestra", "Symphony No. 5"),
      ("One - Two - Band", "/x.mp3", true, "Band", "One - Two"), ("Band - One - Two", "/x.mp3", false, "Band", "One - Two"),
      ("Symphony No. 5 - Orchestra", "/m/Orchestra/Y/1-01 Track 1.m4a", nil, "Orchestra", "Symphony No. 5"),
      ("Symphony No. 5 - Orchestra", "/m/Orchestra/Y/1-01 Track 1.m4a", false, "Symphony No. 5", "Orchestra"),
      ("Band - Song", "/m/Band/X/Song.mp3", true, "Band", "Song"),
    ] as [(String, String, Bool?, String, String)])
  func undecided(name: String, path: String, isTitleFirst: Bool?, artist: String, title: String) {
    let found = M3UName.read(name, of: path, isTitleFirst: isTitleFirst).halves
    #expect(found.artist == artist && found.title == title)
  }

  @Test("a line of nothing but dashes is read in a moment", .timeLimit(.minutes(1)))
  func dashes() {
    let found = M3UName.read(String(repeating: " - -", count: 50_000), of: "/x.mp3")
    #expect(found.halves.artist == nil && found.halves.title?.isEmpty == false)
  }
}
