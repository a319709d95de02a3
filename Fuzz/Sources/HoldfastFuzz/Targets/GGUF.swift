import Foundation
import Holdfast

/// The header of a model, with wrong lengths, counts and kinds.
struct GGUF: ModelTarget {
  let name = "gguf"
  let file = "Model-7B-v1.0-Q4_K_M.gguf"

  func source(_ random: inout SeededRandom) -> FuzzSource {
    var header = GGUFHeaderBytes(random: random)
    header.fill()
    let earlier = header.random.chance(1, of: 3) ? header.bytes : nil
    var isCountable = true
    if header.random.chance(2, of: 3) {
      header.spoil()
      isCountable = false
    }
    var mutation = Mutation(header.random)
    var bytes = header.bytes
    mutation.bytes(&bytes, every: 3, marks: "\u{0}\u{1}\u{2}\u{3}\u{8}\u{9}\u{7F}GU")
    random = mutation.random
    return FuzzSource(earlier: earlier, bytes: bytes, counts: isCountable && mutation.isCountable ? ["models": 1] : nil)
  }
}

/// Small headers, in pieces that can be damaged one by one.
private struct GGUFHeaderBytes {
  var random: SeededRandom
  private var version: UInt32 = 3
  private var tensors: UInt64 = 0
  /// Added to the header's count of keys, which is then wrong. Zero: the count is right.
  private var missing: UInt64 = 0
  private var keys: [(key: String, kind: UInt32, value: [UInt8])] = []
  private var weights = 0

  init(random: SeededRandom) { self.random = random }

  var bytes: [UInt8] {
    var out = Array("GGUF".utf8) + Self.bytes(version) + length(tensors) + length(UInt64(keys.count) &+ missing)
    for (key, kind, value) in keys { out += text(key) + Self.bytes(kind) + value }
    return out + [UInt8](repeating: 7, count: weights)
  }

  mutating func fill() {
    version = random.pick([3, 3, 2, 1], otherwise: 3)
    weights = random.pick([0, 0, 100], otherwise: 0)
    let architecture = random.pick(["llama", "qwen2", "é"], otherwise: "llama")
    keys = [("general.architecture", 8, text(architecture))]
    for (key, kind) in [
      ("general.name", UInt32(8)), ("general.version", 8), ("general.author", 8), ("general.file_type", 4), ("general.tags", 9),
      ("\(architecture).context_length", random.pick([4, 10, 5, 2], otherwise: 4)), ("\(architecture).rope.freq_base", 6),
      ("tokenizer.ggml.tokens", 9), ("tokenizer.ggml.scores", 9), ("x", UInt32.random(in: 0...12, using: &random)), ("split.count", 2),
    ] where random.chance(2, of: 3) {
      keys.append((key, kind, value(of: kind, named: key)))
    }
    keys.shuffle(using: &random)
  }

  private mutating func value(of kind: UInt32, named key: String = "", depth: Int = 0) -> [UInt8] {
    switch kind {
    case 0, 1: return [UInt8.random(in: 0...127, using: &random)]
    case 7: return [random.chance(1, of: 2) ? 1 : 0]
    case 2, 3: return Self.bytes(UInt16.random(in: 0...40, using: &random))
    case 4, 5: return Self.bytes(UInt32.random(in: 0...40, using: &random))
    case 6: return Self.bytes(Float(1.5).bitPattern)
    case 8:
      let long = depth == 0 && random.chance(1, of: 20) ? String(repeating: "x", count: 300_000) : "chat"
      return text(random.pick(["Llama", "", "päivää 🦙", "a\u{0}b", long], otherwise: ""))
    case 9:
      let inner = key == "general.tags" || depth > 3 ? 8 : UInt32.random(in: 0...12, using: &random)
      let count = random.pick([0, 1, 3, 64, 65], otherwise: 0)
      return Self.bytes(inner) + length(UInt64(count)) + (0..<count).flatMap { _ in value(of: inner, depth: depth + 3) }
    case 12: return Self.bytes(Double(-2.25).bitPattern)
    default: return Self.bytes(UInt64.random(in: 0...1_000, using: &random))
    }
  }

  /// Makes one piece differ from the format.
  mutating func spoil() {
    let huge: [UInt64] = [.max, .max - 7, 1 << 63, 1 << 61, 1 << 40, 10_000_000, 65_536, 1]
    guard let place = keys.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: tensors = random.pick(huge, otherwise: 1)
    case 1: missing = random.pick(huge, otherwise: 1)
    case 2: keys.append(keys[place])
    case 3: keys[place].kind = random.pick([9, 8, 13, 255, 0, 12], otherwise: 9)
    case 4: keys[place].value = length(random.pick(huge, otherwise: 1)) + [65, 66]
    case 5:
      keys[place] = (keys[place].key, 9, Self.bytes(UInt32.random(in: 0...13, using: &random)) + length(random.pick(huge, otherwise: 1)))
    case 6:
      let deep = (0..<random.pick([15, 16, 17, 2_000], otherwise: 17)).flatMap { _ in Self.bytes(UInt32(9)) + length(1) }
      keys[place] = (keys[place].key, 9, deep + Self.bytes(UInt32(0)) + length(1) + [1])
    case 7: version = random.pick([0, 4, 0x0300_0000, .max], otherwise: 0)
    case 8: keys.remove(at: place)
    default:
      let kind = UInt32.random(in: 0...12, using: &random)
      keys[place] = (keys[place].key, kind, value(of: kind))
    }
  }

  private func length(_ number: UInt64) -> [UInt8] { version == 1 ? Self.bytes(UInt32(truncatingIfNeeded: number)) : Self.bytes(number) }
  private func text(_ text: String) -> [UInt8] { length(UInt64(text.utf8.count)) + Array(text.utf8) }
  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
