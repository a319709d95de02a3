import Foundation
import Testing

/// In a process that may have little memory: what a header promises, and what stands in it, is never asked for at once.
@Suite("Hostile headers of models") struct HostileModelTests {
  private static func bytes(_ number: some FixedWidthInteger) -> Data { withUnsafeBytes(of: number.littleEndian) { Data($0) } }
  private static func text(_ text: String) -> Data { bytes(UInt64(text.utf8.count)) + Data(text.utf8) }
  /// A header of this many members, and the first of them.
  private static func header(_ members: UInt64, tensors: UInt64 = 0, _ key: Data) -> Data {
    Data("GGUF".utf8) + bytes(UInt32(3)) + bytes(tensors) + bytes(members) + key
  }
  private static func value(_ kind: UInt32, _ data: Data) -> Data { text("general.architecture") + bytes(kind) + data }

  /// A list of lists of lists, 64 of 64 of 64, of what is given.
  private static func nested(_ kind: UInt32, _ leaf: Data) -> Data {
    var (data, inner) = (leaf, kind)
    for _ in 0..<3 {
      data = (0..<64).reduce(into: bytes(inner) + bytes(UInt64(64))) { all, _ in all += data }
      inner = 9
    }
    return data
  }

  static let cases: [(name: String, data: Data)] = [
    ("a text of 2^64 bytes", header(1, value(8, bytes(UInt64.max)))),
    ("a text of 2^62 bytes", header(1, value(8, bytes(UInt64(1) << 62)))),
    ("a list of 2^64 bytes", header(1, value(9, bytes(UInt32(0)) + bytes(UInt64.max)))),
    ("a list of 2^40 numbers", header(1, value(9, bytes(UInt32(10)) + bytes(UInt64(1) << 40)))),
    ("a list of 2^40 texts", header(1, value(9, bytes(UInt32(8)) + bytes(UInt64(1) << 40)))),
    ("2^64 members", header(.max, value(8, text("llama")))), ("2^64 tensors", header(1, tensors: .max, value(8, text("llama")))),
    ("a key of 2^63 bytes", header(1, bytes(UInt64(1) << 63))),
    (
      "lists 100,000 deep", header(1, value(9, (0..<100_000).reduce(into: Data()) { all, _ in all += bytes(UInt32(9)) + bytes(UInt64(1)) }))
    ),
    ("262,144 short lists", header(1, value(9, nested(9, bytes(UInt32(0)) + bytes(UInt64(64)) + Data(count: 64))))),
    ("262,144 lists of nothing", header(1, value(9, nested(9, bytes(UInt32(12)) + bytes(UInt64(0)))))),
    ("262,144 texts", header(1, value(9, nested(8, text(String(repeating: "A", count: 40)))))),
  ]

  @Test("is refused by a process that may have half a gigabyte, all its libraries in it", arguments: cases.indices)
  func refused(number: Int) throws {
    let (name, data) = Self.cases[number]
    let bench = try Workbench()
    try data.write(to: bench.url("hostile.gguf"))
    // Of a model this command imports in as much.
    try (Self.header(1, Self.value(8, Self.text("llama")))).write(to: bench.url("good.gguf"))
    let good = try bench.shell(#"ulimit -v 512000; "$1" import "$2/good.gguf" --into "$2/good.sqlite""#)
    #expect(good.status == 0, "\(good.errors)")
    let start = ContinuousClock.now
    let hostile = try bench.shell(#"ulimit -v 512000; "$1" import "$2/hostile.gguf" --into "$2/hostile.sqlite""#)
    #expect(hostile.status == 65 && hostile.errors.contains("at byte"), "\(name): \(hostile.status) \(hostile.errors)")
    #expect(ContinuousClock.now - start < .seconds(20), "\(name)")
    #expect(try !bench.names().contains("hostile.sqlite"))
  }
}
