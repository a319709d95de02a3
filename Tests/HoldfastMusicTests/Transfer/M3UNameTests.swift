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
    #expect(found.artist == artist && found.title == title)
  }

  @Test("a line of nothing but dashes is read in a moment", .timeLimit(.minutes(10)))
  func dashes() {
    let found = M3UName.read(String(repeating: " - -", count: 200_000), of: "/x.mp3")
    #expect(found.artist == nil && found.title?.isEmpty == false)
  }
}
