import Foundation

/// A class of damage that a salvage is measured with.
enum SalvageDamage: String, CaseIterable, Codable, Sendable {
  case onePageZeroed = "one-page-zeroed"
  case pagesZeroed1 = "pages-zeroed-1%"
  case pagesZeroed10 = "pages-zeroed-10%"
  case pagesNoise1 = "pages-noise-1%"
  case pagesNoise10 = "pages-noise-10%"
  case pagesSwapped = "pages-swapped-2%"
  case misdirected = "misdirected-1%"
  case sectorsNoise = "sectors-noise"
  case bitFlips = "bit-flips"
  case firstPageZeroed = "first-page-zeroed"
  case firstPageNoise = "first-page-noise"
  case headerNoise = "header-noise"
  case headerZeroed = "header-zeroed"
  case cutHalf = "cut-to-half"
  case cutWithinPage = "cut-within-page"
  case rootNoise = "root-noise"
  case interiorNoise = "interior-noise"
  case logTorn = "log-torn"
  case logFlipped = "log-flipped"
  case logDeleted = "log-deleted"
  case logStale = "log-stale"
  case logForeign = "log-foreign"
  case empty

  private static let pageBytes = 4_096

  var state: SalvageStores.State {
    switch self {
    case .logTorn, .logFlipped, .logDeleted: .half
    case .logStale: .stale
    case .logForeign: .foreign
    default: .closed
    }
  }

  /// Whether each row must come back where the app's schema is given.
  var losesNothing: Bool { [.firstPageZeroed, .firstPageNoise, .headerNoise, .headerZeroed].contains(self) }

  /// Whether `.recover` may give no table: it finds the tables by the first page, or there is nothing to find.
  var stopsRecover: Bool { losesNothing || self == .empty }

  /// - Parameter roots: the first pages of the tables.
  func apply(to file: URL, roots: [Int], seed: UInt64) throws {
    var random = Chance(seed &* 131 &+ UInt64(Self.allCases.firstIndex(of: self) ?? 0))
    switch self {
    case .logTorn, .logFlipped:
      let log = URL(fileURLWithPath: file.path + "-wal")
      var bytes = [UInt8](try Data(contentsOf: log))
      let place = 32 + random.below(bytes.count - 32)
      if self == .logTorn { bytes.removeLast(bytes.count - place) } else { bytes[place] ^= UInt8(1 << random.below(8)) }
      return try Data(bytes).write(to: log)
    case .logDeleted: return try FileManager.default.removeItem(atPath: file.path + "-wal")
    case .logStale, .logForeign: return
    default: break
    }
    var bytes = [UInt8](try Data(contentsOf: file))
    change(&bytes, roots, &random)
    try Data(bytes).write(to: file)
  }

  private func change(_ bytes: inout [UInt8], _ roots: [Int], _ random: inout Chance) {
    let (size, count) = (Self.pageBytes, bytes.count / Self.pageBytes)
    /// Some in a hundred pages, the first one never.
    func some(_ part: Double, _ random: inout Chance) -> [Int] {
      Array((1..<count).shuffled(using: &random).prefix(max(1, Int((Double(count) * part / 100).rounded()))))
    }
    func noise(_ start: Int, _ length: Int, _ bytes: inout [UInt8], _ random: inout Chance) {
      for place in start..<min(bytes.count, start + length) { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
    }
    func zero(_ start: Int, _ length: Int, _ bytes: inout [UInt8]) { for place in start..<start + length { bytes[place] = 0 } }
    switch self {
    case .onePageZeroed: zero((1 + random.below(count - 1)) * size, size, &bytes)
    case .pagesZeroed1: for page in some(1, &random) { zero(page * size, size, &bytes) }
    case .pagesZeroed10: for page in some(10, &random) { zero(page * size, size, &bytes) }
    case .pagesNoise1: for page in some(1, &random) { noise(page * size, size, &bytes, &random) }
    case .pagesNoise10: for page in some(10, &random) { noise(page * size, size, &bytes, &random) }
    case .pagesSwapped:
      for page in some(1, &random) {
        let other = 1 + random.below(count - 1)
        for place in 0..<size { bytes.swapAt(page * size + place, other * size + place) }
      }
    case .misdirected:
      for page in some(1, &random) {
        let other = 1 + random.below(count - 1)
        bytes.replaceSubrange(page * size..<(page + 1) * size, with: Array(bytes[other * size..<(other + 1) * size]))
      }
    case .sectorsNoise: for _ in 0..<6 { noise((8 + random.below(bytes.count / 512 - 8)) * 512, 512, &bytes, &random) }
    case .bitFlips: for _ in 0..<10 { bytes[size + random.below(bytes.count - size)] ^= UInt8(1 << random.below(8)) }
    case .firstPageZeroed: zero(0, size, &bytes)
    case .firstPageNoise: noise(0, size, &bytes, &random)
    case .headerNoise: noise(0, 100, &bytes, &random)
    case .headerZeroed: zero(0, 100, &bytes)
    case .cutHalf: bytes.removeLast((count - count / 2) * size)
    case .cutWithinPage: bytes.removeLast(1 + random.below(bytes.count * 6 / 10))
    case .rootNoise:
      guard !roots.isEmpty else { return }
      noise((roots[random.below(roots.count)] - 1) * size, size, &bytes, &random)
    case .interiorNoise:
      let pages = (1..<count).filter { [2, 5].contains(bytes[$0 * size]) }
      guard !pages.isEmpty else { return }
      noise(pages[random.below(pages.count)] * size, size, &bytes, &random)
    case .empty: bytes = []
    default: break
    }
  }
}
