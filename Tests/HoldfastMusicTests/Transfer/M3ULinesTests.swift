import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Lines of M3U that can be read in two ways") struct M3ULinesTests {
  @Test("a file whose name begins with # is the file of its #EXTINF; elsewhere such a line is told")
  func hash() throws {
    let world = try ImportWorld("Mix.m3u8")
    #expect(
      try world.importing("#EXTM3U\n#EXTINF:10,Artist A - One\n#1 One.mp3\n#EXTINF:20,Artist B - Two\n02 Two.mp3\n#3 Three.mp3\n# note\n")
        == """
        tracks 2: 2 imported
        collections 1: 1 imported
        collection_tracks 2: 2 imported
        noted 1: lines that begin with # and end like a music file were taken for comments (first: line 6)
        """)
    let shelf = try world.shelf()
    #expect(shelf.contains("One by Artist A") && shelf.contains("Two by Artist B") && shelf.contains("Mix: One, Two"), "\(shelf)")
    #expect(shelf.contains("/%231%20One.mp3"), "\(shelf)")
  }

  @Test("lines that their paths do not decide follow the others: a list with the title first stays one")
  func titleFirst() throws {
    let world = try ImportWorld("Band.m3u")
    _ = try world.importing(
      """
      #EXTM3U
      #EXTINF:100,First Song - Band
      /m/Band/X/01 First Song.mp3
      #EXTINF:100,Second Song - Band
      /m/Band/X/02 Second Song.mp3
      #EXTINF:100,Symphony No. 5 - Orchestra
      /z/1-01 Track 1.m4a
      """)
    let shelf = try world.shelf()
    #expect(shelf.contains("Symphony No. 5 by Orchestra") && shelf.contains("Second Song by Band"), "\(shelf)")
  }
}
