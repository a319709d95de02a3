import Foundation
import Holdfast

/// Stores whose bytes are mutated: they are salvaged, looked at, opened, read and healed.
struct DamagedStores: FuzzTarget {
  let name = "damaged-stores"
  let file = "store.sqlite"
  let faults: [Fault] = [.changesSource, .throwsOthers]

  func bench(_ name: String, fault: Fault?) throws -> any FuzzBench { try DamagedStoreBench(name, fault: fault) }

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    var source = FuzzSource(bytes: [])
    guard let template = template(&random) else { throw Finding(message: "there is no store to damage") }
    var (file, log) = (random.chance(1, of: 8) ? template.later : template.file, random.chance(1, of: 2) ? template.log : nil)
    var mutation = PageMutation(random, pageBytes: template.pageBytes)
    for _ in 0..<mutation.random.pick([1, 1, 1, 2, 3, 6], otherwise: 1) {
      if log != nil, mutation.random.chance(1, of: 3) {
        mutation.frames(&log)
      } else {
        mutation.file(&file)
      }
    }
    var bytes = log?.bytes
    if bytes != nil, mutation.random.chance(1, of: 6) { mutation.bytes(&bytes) }
    random = mutation.random
    source.bytes = file
    source.log = bytes
    return source
  }

  /// Of a case, whose first random number chooses it.
  func template(_ random: inout SeededRandom) -> StoreTemplate? { StoreTemplate.all.randomElement(using: &random) }
}

/// Damage of the pages of a database: at random, and where the format has its numbers.
struct PageMutation {
  var random: SeededRandom
  let pageBytes: Int
  private static let numbers: [[UInt8]] = [
    [0], [1], [0x7F], [0x80], [0xFF], [0xFF, 0xFF], [0, 0], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0x81, 0],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x8F, 0xFF, 0xFF, 0xFF, 0x7F], [0x7F, 0xFF, 0xFF, 0xFF],
  ]

  init(_ random: SeededRandom, pageBytes: Int) { (self.random, self.pageBytes) = (random, pageBytes) }

  mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int.random(in: 0..<limit, using: &random) }
  private mutating func byte() -> UInt8 { UInt8.random(in: 0...255, using: &random) }

  mutating func file(_ file: inout [UInt8]) {
    guard file.count >= pageBytes else { return }
    let pages = file.count / pageBytes
    let page = below(pages)
    switch below(16) {
    case 0: for _ in 0...below(20) { file[below(file.count)] = byte() }
    case 1: run(&file, at: below(file.count), count: 1 + below(700))
    case 2: run(&file, at: page * pageBytes, count: pageBytes)
    case 3:
      let other = below(pages)
      for place in 0..<pageBytes { file.swapAt(page * pageBytes + place, other * pageBytes + place) }
    case 4:
      let other = below(pages)
      file.replaceSubrange(page * pageBytes..<(page + 1) * pageBytes, with: Array(file[other * pageBytes..<(other + 1) * pageBytes]))
    case 5: if random.chance(1, of: 2) { file.removeLast(below(file.count)) } else { file += (0...below(3_000)).map { _ in byte() } }
    case 6: put(number(), at: random.pick([16, 18, 20, 21, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 92], otherwise: 16), &file)
    case 7: schemaText(&file)
    default:
      var content = Array(file[page * pageBytes..<(page + 1) * pageBytes])
      tree(&content, start: page == 0 ? 100 : 0, pages: pages)
      file.replaceSubrange(page * pageBytes..<(page + 1) * pageBytes, with: content)
    }
    if random.chance(1, of: 400) { file = random.chance(1, of: 2) ? [] : Array(file.prefix(below(120))) }
  }

  mutating func frames(_ log: inout StoreLog?) {
    guard var changed = log, let chosen = changed.frames.indices.randomElement(using: &random) else { return }
    switch below(7) {
    case 0: changed.frames[chosen].page = random.pick([0, 1, 2, 5, 40, 0x7FFF_FFFF, .max], otherwise: 1)
    case 1: changed.frames[chosen].pages = random.pick([0, 1, 3, 30, 0x7FFF_FFFF, .max], otherwise: 1)
    case 2: changed.frames.removeSubrange(chosen...)
    case 3: changed.frames.shuffle(using: &random)
    default: tree(&changed.frames[chosen].content, start: changed.frames[chosen].page == 1 ? 100 : 0, pages: changed.frames.count * 2)
    }
    log = changed
  }

  mutating func bytes(_ log: inout [UInt8]?) {
    guard var bytes = log, !bytes.isEmpty else { return }
    if random.chance(1, of: 2) {
      bytes.removeLast(below(bytes.count))
    } else {
      bytes[below(random.chance(1, of: 2) ? min(64, bytes.count) : bytes.count)] = byte()
    }
    log = bytes
  }

  /// The numbers of one page of a tree.
  private mutating func tree(_ page: inout [UInt8], start: Int, pages: Int) {
    func two(_ place: Int) -> Int { place >= 0 && place + 1 < page.count ? Int(page[place]) << 8 | Int(page[place + 1]) : 0 }
    let isInterior = [2, 5].contains(page[start])
    let (first, count) = (start + (isInterior ? 12 : 8), min(two(start + 3), page.count / 4))
    let cell = first + below(count) * 2
    func target() -> [UInt8] { big(UInt32(random.pick([0, 1, 2, pages, pages + 1, below(pages + 2), Int(UInt32.max)], otherwise: 0)), 4) }
    switch below(9) {
    case 0: page[start] = random.pick([0, 2, 5, 10, 13, 14, 255], otherwise: 2)
    case 1: put(big(UInt32(random.pick([0, 1, count + 1, count * 2, 0xFFFF], otherwise: 0)), 2), at: start + 3, &page)
    case 2: put(number(), at: start + 1 + below(7), &page)
    case 3: put(big(UInt32(random.pick([below(page.count), 0, page.count - 1, two(cell) + 1, 0xFFFF], otherwise: 0)), 2), at: cell, &page)
    case 4:
      if isInterior {
        put(target(), at: random.chance(1, of: 2) ? start + 8 : two(cell), &page)
      } else {
        put(number(), at: two(cell), &page)
      }
    // The length, the rowid, the header and the first types of a record.
    case 5, 6: put(number(), at: two(cell) + below(8), &page)
    // Where a chain of overflow pages may begin, and where it goes on.
    case 7: put(target(), at: random.chance(1, of: 2) ? 0 : page.count - 4 - below(40), &page)
    default: for _ in 0...below(4) { put([byte()], at: two(cell) + below(40), &page) }
    }
  }

  private mutating func schemaText(_ file: inout [UInt8]) {
    let text = Array("CREATE ".utf8)
    let limit = min(file.count, 16_384) - text.count
    let places = stride(from: 0, to: limit, by: 1).filter { file[$0] == text[0] && file[$0..<$0 + text.count].elementsEqual(text) }
    guard let place = places.randomElement(using: &random) else { return }
    // Before the text stand the type, the names and the number of the first page.
    for _ in 0...below(3) { put([random.chance(1, of: 2) ? byte() : UInt8(ascii: "(")], at: place + below(90) - 30, &file) }
  }

  private mutating func run(_ bytes: inout [UInt8], at start: Int, count: Int) {
    let kind = below(3)
    for place in start..<min(bytes.count, start + count) { bytes[place] = kind == 0 ? 0 : kind == 1 ? 0xFF : byte() }
  }

  private mutating func number() -> [UInt8] { random.chance(1, of: 4) ? [byte(), byte()] : random.pick(Self.numbers, otherwise: [0]) }

  private func big(_ value: UInt32, _ count: Int) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0.suffix(count)) } }

  private func put(_ value: [UInt8], at place: Int, _ bytes: inout [UInt8]) {
    for (offset, byte) in value.enumerated() where bytes.indices.contains(place + offset) { bytes[place + offset] = byte }
  }
}
