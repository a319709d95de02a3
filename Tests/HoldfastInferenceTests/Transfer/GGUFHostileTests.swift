import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

/// Headers that promise what their file does not have.
@Suite("Hostile GGUF", .serialized) struct GGUFHostileTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let data: Data
    /// What the message says after the place.
    let reason: String

    init(_ name: String, _ data: Data, _ reason: String) { (testDescription, self.data, self.reason) = (name, data, reason) }
  }

  private static let architecture = ("general.architecture", GGUFWriter.Value.string("llama"))

  private static func list(of kind: UInt32, _ count: UInt64, _ rest: [UInt8] = []) -> Data {
    GGUFWriter([architecture, ("k", .raw(9, GGUFWriter.bytes(kind) + GGUFWriter.bytes(count) + rest))]).data
  }

  private static func header(_ change: (inout GGUFWriter) -> Void) -> Data {
    var writer = GGUFWriter([architecture])
    change(&writer)
    return writer.data
  }

  static let cases: [Case] = {
    let huge = UInt64.max
    let trillion: UInt64 = 1_000_000_000_000
    let deep = (0..<10_000).flatMap { _ in GGUFWriter.bytes(UInt32(9)) + GGUFWriter.bytes(UInt64(1)) }
    let long = GGUFWriter.bytes(huge - 7)
    return [
      Case("2^64 keys", header { $0.count = huge }, "at byte 24, 9223372036854775807 keys are to follow, in 45 bytes"),
      Case("10,000 keys in a small file", header { $0.count = 10_000 }, "at byte 24, 10000 keys are to follow, in 45 bytes"),
      Case("2^64 tensors", header { $0.tensors = huge }, "at byte 69, 9223372036854775807 tensors are to follow, in 0 bytes"),
      Case("one tensor too many", header { $0.tensors = 1 }, "at byte 69, 1 tensors are to follow, in 0 bytes"),
      Case(
        "a key of nearly 2^64 bytes",
        Data("GGUF".utf8) + GGUFWriter.bytes(UInt32(3)) + GGUFWriter.bytes(UInt64(0))
          + GGUFWriter.bytes(UInt64(1)) + long + Data(repeating: 65, count: 50),
        "at byte 32, a key of 9223372036854775807 bytes is to follow"),
      Case(
        "a key of 65,536 bytes", GGUFWriter([architecture, (String(repeating: "k", count: 65_536), .uint8(1))]).data,
        "at byte 77, a key of 65536 bytes is to follow"),
      Case(
        "a text of nearly 2^64 bytes", GGUFWriter([architecture, ("k", .raw(8, long))]).data,
        "at byte 90, 9223372036854775807 bytes are to follow, and there are 0 left"),
      Case(
        "a text that is a byte longer than the file", GGUFWriter([architecture, ("k", .raw(8, GGUFWriter.bytes(UInt64(2)) + [65]))]).data,
        "at byte 90, 2 bytes are to follow, and there are 1 left"),
      Case("10^12 texts", list(of: 8, trillion), "at byte 94, 1000000000000 elements are to follow, in 0 bytes"),
      Case("10^12 bytes", list(of: 0, trillion, [1]), "at byte 94, 1000000000000 elements are to follow, in 1 bytes"),
      Case("10^12 lists", list(of: 9, trillion, [1]), "at byte 94, 1000000000000 elements are to follow, in 1 bytes"),
      Case("2^61 numbers of eight bytes", list(of: 10, 1 << 61), "at byte 94, 2305843009213693952 elements are to follow, in 0 bytes"),
      Case("lists 10,000 deep", list(of: 9, 1, Array(deep)), "at byte 274, lists are nested more than 16 deep"),
      Case(
        "lists 10,000 deep, passed over", list(of: 9, 65, Array(deep) + Array(repeating: 0, count: 2_000)),
        "at byte 274, lists are nested more than 16 deep"),
      Case("a list of a kind that is not", list(of: 99, 0), "at byte 86, there is no kind of value 99"),
      Case("a kind that is not", GGUFWriter([architecture, ("k", .raw(13, []))]).data, "at byte 82, there is no kind of value 13"),
      Case(
        "a key twice", GGUFWriter([architecture, ("k", .uint8(1)), ("k", .uint8(1))]).data, "at byte 92, the key k appears twice"),
      Case("a key without letters", GGUFWriter([architecture, ("", .uint8(1))]).data, "at byte 77, a key is not text"),
      Case("big-endian", Data("GGUF".utf8) + [0, 0, 0, 3] + [UInt8](repeating: 0, count: 16), "it is written for big-endian machines"),
      Case("no version", Data("GGUF".utf8) + [UInt8](repeating: 0, count: 20), "its version is 0"),
      Case("nothing but its name", Data("GGUF".utf8), "at byte 4, 4 bytes are to follow, and there are 0 left"),
      Case("cut in a number", Data("GGUF".utf8) + [3, 0], "at byte 4, 4 bytes are to follow, and there are 2 left"),
    ]
  }()

  @Test("a header that promises more than its file has is refused where it does", arguments: cases)
  func refused(hostile: Case) throws {
    let world = try ModelWorld()
    let error = try world.failure(hostile.data, "h.gguf")
    #expect(error.code == .invalidSource)
    #expect(error.message.hasSuffix(hostile.reason), "\(error.message)")
    #expect(error.offset != nil)
  }

  @Test("a header that ends anywhere is refused, and never a model")
  func cut() throws {
    let world = try ModelWorld()
    let data = GGUFWriter.llama([("list", .array(9, [.array(8, [.string("a")])]))], words: 2).data
    for count in stride(from: 4, to: data.count, by: 7) {
      let error = try world.failure(data.prefix(count), "cut.gguf")
      #expect(error.code == .invalidSource, "\(count) bytes")
    }
  }

  @Test("a newer version is told as such")
  func newer() throws {
    let error = try ModelWorld().failure(GGUFWriter([], version: 4).data, "n.gguf")
    #expect(error.code == .newerSource)
    #expect(error.message.hasSuffix("is GGUF of version 4, and 3 is the newest known"))
  }

  @Test("a header of many small values is refused before it fills the memory")
  func much() throws {
    let world = try ModelWorld()
    let inner = GGUFWriter.Value.array(9, (0..<64).map { _ in .array(0, (0..<64).map { _ in .uint8(1) }) })
    let writer = GGUFWriter([Self.architecture] + (0..<8).map { ("k\($0)", .array(9, (0..<10).map { _ in inner })) })
    let error = try world.failure(writer.data, "much.gguf")
    #expect(error.code == .invalidSource)
    #expect(error.message.hasSuffix("the header says more than can be kept"))
  }

  /// What stands 262,144 times in lists of lists of lists, with its kind.
  static let leaves: [(String, UInt32, [UInt8])] = [
    ("bytes", 9, GGUFWriter.bytes(UInt32(0)) + GGUFWriter.bytes(UInt64(64)) + [UInt8](repeating: 1, count: 64)),
    ("lists that are passed over", 9, GGUFWriter.bytes(UInt32(0)) + GGUFWriter.bytes(UInt64(65)) + [UInt8](repeating: 1, count: 65)),
    ("empty lists", 9, GGUFWriter.bytes(UInt32(12)) + GGUFWriter.bytes(UInt64(0))),
    ("texts", 8, GGUFWriter.bytes(UInt64(40)) + [UInt8](repeating: 65, count: 40)),
    ("texts that are none", 8, GGUFWriter.bytes(UInt64(40)) + [UInt8](repeating: 0xFF, count: 40)),
    ("numbers of 64 bits", 10, GGUFWriter.bytes(UInt64.max)),
  ]

  @Test("one key with lists in lists is refused as early as many keys, whatever stands in them", arguments: leaves.indices)
  func nested(number: Int) throws {
    let (name, kind, leaf) = Self.leaves[number]
    var data = Data(leaf)
    var inner = kind
    for _ in 0..<3 {
      let list = GGUFWriter.bytes(inner) + GGUFWriter.bytes(UInt64(64))
      data = (0..<64).reduce(into: Data(list)) { all, _ in all += data }
      inner = 9
    }
    let header = GGUFWriter([Self.architecture, ("k", .raw(9, []))]).data
    let world = try ModelWorld()
    let error = try world.failure(header + data, "nested.gguf")
    #expect(error.code == .invalidSource && error.message.hasSuffix("the header says more than can be kept"), "\(name): \(error.message)")
    #expect(try #require(error.offset) < 8 << 20, "\(name)")
  }

  /// A key's kind, the beginning of its value, and what is said of the zeros that follow it.
  static let larger: [(String, UInt32, [UInt8], String)] = {
    let (long, many) = (GGUFWriter.bytes(UInt64(15 << 30)), GGUFWriter.bytes(UInt64(5_000_000)))
    return [
      ("a text", 8, long, "the header goes on after 536870912 bytes"),
      ("a list of bytes", 9, GGUFWriter.bytes(UInt32(0)) + long, "the header goes on after 536870912 bytes"),
      ("a list of texts", 9, GGUFWriter.bytes(UInt32(8)) + many, "5000000 elements are to follow, more than a model has"),
      ("a list of lists", 9, GGUFWriter.bytes(UInt32(9)) + many, "5000000 elements are to follow, more than a model has"),
      (
        "lists of texts", 9, GGUFWriter.bytes(UInt32(9)) + GGUFWriter.bytes(UInt64(65)) + GGUFWriter.bytes(UInt32(8)) + many,
        "5000000 elements are to follow, more than a model has"
      ),
    ]
  }()

  @Test("what is more than a header can have is not read, also where the file has it", arguments: larger.indices)
  func endless(number: Int) throws {
    let (name, kind, value, reason) = Self.larger[number]
    let world = try ModelWorld()
    let source = try world.write(GGUFWriter([Self.architecture, ("k", .raw(kind, value))]).data, "endless.gguf")
    let file = try FileHandle(forWritingTo: source)
    try file.truncate(atOffset: 16 << 30)
    try file.close()
    let error = #expect(throws: StoreError.self) { _ = try InferenceStore.importModels(from: source, into: world.store) }
    #expect(try #require(error?.offset) < 128, "\(name)")
    #expect(error?.message.hasSuffix(reason) == true, "\(name): \(error?.message ?? "")")
    #expect(!FileManager.default.fileExists(atPath: world.store.path))
  }

  @Test(
    "a further part whose name does not say where the first is names no other file, and its number is the header's",
    arguments: [(1, "2"), (Int64.max, "9223372036854775807"), (-1, "0")])
  func furtherPart(index: Int64, part: String) throws {
    let header = GGUFWriter([("split.no", .int64(index))]).data
    for name in ["weights-b.gguf", "weights-00001-of-00002.gguf"] {
      let error = try ModelWorld().failure(header, name)
      #expect(error.code == .invalidSource && error.suggestion == nil)
      #expect(error.message.hasSuffix("is part \(part) of a model, and only the first part describes the model"), "\(error.message)")
    }
  }
}
