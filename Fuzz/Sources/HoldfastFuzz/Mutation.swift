/// Random damage to a valid source: to its values, and then to its bytes.
struct Mutation {
  var random: SeededRandom
  /// False when the records of the damaged source can no longer be counted without the importer.
  var isCountable = true

  init(_ random: SeededRandom) { self.random = random }

  /// Damages the bytes of one source in `every`.
  ///
  /// - Parameter marks: the characters with a meaning in the format.
  mutating func bytes(_ source: inout [UInt8], every: Int = 8, marks: String = "\"\\{}[],:0e-.u\u{7F}") {
    guard !source.isEmpty, random.chance(1, of: every) else { return }
    isCountable = false
    for _ in 0..<random.pick([1, 1, 2, 5], otherwise: 1) {
      let place = Int.random(in: 0..<max(1, source.count), using: &random)
      guard source.indices.contains(place) else { return }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: source[place] = UInt8.random(in: 0...255, using: &random)
      case 1: source[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 2: source.remove(at: place)
      case 3: source.insert(random.pick(Array(marks.utf8), otherwise: 0), at: place)
      case 4: source.removeLast(source.count - place)
      default:
        let end = min(source.count, place + Int.random(in: 1...40, using: &random))
        source.insert(contentsOf: Array(source[place..<end]), at: place)
      }
    }
  }

  /// Damages the bytes of one database in four. Mostly keeps the length, because SQLite notices a wrong length at once.
  mutating func pages(_ source: inout [UInt8]) {
    guard !source.isEmpty, random.chance(1, of: 4) else { return }
    isCountable = false
    for _ in 0..<random.pick([1, 1, 2, 8], otherwise: 1) {
      let place = Int.random(in: 0..<source.count, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        source.removeLast(source.count - place)
        return
      case 1...9: source[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 10...12:
        // The header and the first page's table of cells, where damage has the most effect.
        source[place % min(source.count, 120)] = UInt8.random(in: 0...255, using: &random)
      case 13:
        let other = Int.random(in: 0..<source.count, using: &random)
        for offset in 0..<min(64, source.count - max(place, other)) { source[place + offset] = source[other + offset] }
      default: source[place] = UInt8.random(in: 0...255, using: &random)
      }
    }
  }
}
