import Foundation
import Testing

@testable import HoldfastTool

@Suite("Stats")
struct StatsTests {
  private static let chart = BarChart(
    "Most heard",
    [
      ("三体", 800, "13:20"), ("Moby Dick", 100, "1:40"), ("A title that is much longer than a chart has room for", 1, "0:01"),
      ("Not heard", 0, "0:00"),
    ])

  @Test(
    "a chart on a terminal has a bar of blocks for each number, to an eighth of a column, or of number signs where the locale is not UTF-8",
    arguments: [(true, ["███████████████████", "██▍", "▏"]), (false, ["###################", "##", "#"])])
  func bars(hasBlocks: Bool, bars: [String]) {
    #expect(
      Self.chart.text(.init(width: 60, hasBlocks: hasBlocks)) == """

        Most heard
          三体                            13:20  \(bars[0])
          Moby Dick                        1:40  \(bars[1])
          A title that is much longer t…   0:01  \(bars[2])
          Not heard                        0:00

        """)
  }

  @Test("a chart elsewhere is its numbers")
  func plain() {
    #expect(
      Self.chart.text(.init(width: nil, hasBlocks: true)) == """

        Most heard
          三体                                      13:20
          Moby Dick                                  1:40
          A title that is much longer than a char…   0:01
          Not heard                                  0:00

        """)
  }

  @Test("a chart is never wider than the terminal, and a bar never shorter than what is seen")
  func widths() {
    for width in 24...200 {
      for hasBlocks in [true, false] {
        let lines = Self.chart.text(.init(width: width, hasBlocks: hasBlocks)).split(separator: "\n").dropFirst()
        #expect(lines.allSatisfy { DisplayText.columns(String($0)) <= width }, "\(width)")
        if width > 60 {
          #expect(lines.allSatisfy { $0.contains("Not heard") != ($0.contains("#") || $0.contains("▏") || $0.contains("█")) })
        }
      }
    }
  }

  @Test("numbers that are none, or not finite, are no bars; no numbers are no chart")
  func strangeNumbers() {
    #expect(BarChart("Numbers", []).text(.init(width: 80, hasBlocks: true)) == "")
    let lines = [Double.nan, .infinity, -1, 0].map { (label: "\u{1B}x", number: $0, words: "?") }
    let chart = BarChart("Numbers", lines)
    #expect(chart.text(.init(width: 80, hasBlocks: true)) == "\nNumbers\n" + String(repeating: "  \u{FFFD}x  ?\n", count: 4))
    let largest = BarChart("Numbers", lines + [(label: "most", number: Double.greatestFiniteMagnitude, words: "!")])
    #expect(largest.text(.init(width: 80, hasBlocks: false)).hasSuffix("  !  " + String(repeating: "#", count: 40) + "\n"))
  }

  @Test(
    "the first of LC_ALL, LC_CTYPE and LANG that is set says whether a terminal shows blocks",
    arguments: [
      ([:], false), (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C.UTF-8", "LC_ALL": "C"], false),
      (["LANG": "C", "LC_CTYPE": "UTF-8"], true), (["LANG": "en_US.UTF-8", "LC_ALL": ""], true), (["LANG": "en_US.ISO-8859-1"], false),
    ] as [([String: String], Bool)])
  func locale(environment: [String: String], shows: Bool) { #expect(Console.showsUnicode(environment) == shows) }

  @Test("stats of audiobooks are numbers where no terminal is")
  func audiobooks() throws {
    let bench = try Workbench()
    let finished = try bench.run("stats", try bench.store())
    #expect(
      finished.output == """
        collections  2
        tracks       3
        favorites    1
        length       1:27:07
        heard        12:34

        Collections by progress
          finished     0
          in progress  1
          not begun    1

        Tracks by progress
          finished     0
          in progress  1
          not begun    2

        Most heard
          三体  12:34

        """)
    #expect(finished.errors.isEmpty)
  }

  @Test("stats of music are numbers where no terminal is")
  func music() async throws {
    let bench = try Workbench()
    let finished = try bench.run("stats", try await bench.music())
    #expect(
      finished.output == """
        tracks     5
        albums     4
        artists    4
        playlists  2
        length     13:02
        plays      16 of 3 tracks

        Tracks by genre
          Jazz  3
          電子  1

        Tracks by decade
          1990s  2
          2000s  2

        Tracks by year added
          2024  1
          2025  4

        Tracks by rating
          5 stars  1
          4 stars  1
          3 stars  0
          2 stars  1
          1 star   0
          0 stars  0

        Most played artists
          Nantucket Quartet  15
          水滴                1

        Most played tracks
          Loomings – Nantucket Quartet         12
          The Spouter-Inn – Nantucket Quartet   3
          Duet – 水滴                           1

        """)
    #expect(finished.errors.isEmpty)
  }
}
