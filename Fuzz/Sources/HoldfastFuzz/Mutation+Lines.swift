/// Random damage to the lines of a list.
extension Mutation {
  private static let lines = [
    "", " ", "\t", "#", "#EXTM3U", "#EXTINF:", "#EXTINF:,", "#EXTINF:abc,x", "#EXTINF:1e999,x", "#EXTINF:nan,a - b", "#EXTINF:-0.5, - ",
    "#EXTINF:9223372036854775808,x", "#EXTINF:1 a=\"b,c - d", "#EXTALB:", "#EXTART:x", "#EXTGENRE:", "#PLAYLIST:", "#playlist:x",
    "#EXT-X-VERSION:3", "#EXTVLCOPT:a", "/", "//", "\\", "\\\\", "\\\\server", "C:", "C:\\", "c:x", ":", "a:", "a: b", "ab:", "ab:c", "%",
    "%zz", "/%FF", "file:", "file://", "file:///%FF", "file:///a%00b", "../../../../../../x.mp3", ".", "..", "a/..", "a\u{1}b", "a\u{7F}b",
    "\u{FEFF}", "\u{FEFF}#EXTM3U", "{\"a\":1}", "[x]", "<x/>", "e\u{301}/\u{1F600}.mp3", "~/x.mp3", " leading.mp3", "trailing.mp3 ",
    String(repeating: "../", count: 400), String(repeating: "long/", count: 900),
  ]

  /// Damages some lines of a list.
  ///
  /// - Returns: whether any damage was tried.
  mutating func lines(of list: inout [String]) -> Bool {
    let times = random.pick([0, 1, 1, 1, 2, 3, 8], otherwise: 1)
    for _ in 0..<times {
      let line = random.pick(Self.lines, otherwise: "")
      guard let chosen = list.indices.randomElement(using: &random), let other = list.indices.randomElement(using: &random) else {
        list.append(line)
        continue
      }
      switch Int.random(in: 0..<9, using: &random) {
      case 0: list.remove(at: chosen)
      case 1: list.insert(list[chosen], at: other)
      case 2: list.swapAt(chosen, other)
      case 3: list.insert(line, at: other)
      case 4: list[chosen] += line
      case 5: list[chosen] = line + list[chosen]
      case 6: list[chosen] = String(list[chosen].prefix(Int.random(in: 0...20, using: &random)))
      case 7: list[chosen] += list[other]
      default: list[chosen] = line
      }
    }
    return times > 0
  }
}
