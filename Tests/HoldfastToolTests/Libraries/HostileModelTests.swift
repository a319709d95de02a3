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

  #if os(Linux)
    /// Imports a file in half a gigabyte, all libraries and stacks in it; macOS limits no such thing.
    private func importing(_ data: Data, in bench: borrowing Workbench) throws -> Finished {
      try data.write(to: bench.url("model.gguf"))
      return try bench.shell(
        #"export MALLOC_ARENA_MAX=1; ulimit -s 2048 -v 512000 || exit 99; "$1" import "$2/model.gguf" --into "$2/store.sqlite""#)
    }

    @Test("is refused by a process that may have half a gigabyte", arguments: cases.indices)
    func refused(number: Int) throws {
      let (name, data) = Self.cases[number]
      let bench = try Workbench()
      let start = ContinuousClock.now
      let hostile = try importing(data, in: bench)
      #expect(hostile.status == 65 && hostile.errors.contains("at byte"), "\(name): \(hostile.status) \(hostile.errors)")
      #expect(ContinuousClock.now - start < .seconds(20), "\(name)")
      #expect(try !bench.names().contains("store.sqlite"))
    }

    @Test("a model is imported in as much")
    func control() throws {
      let imported = try importing(Self.header(1, Self.value(8, Self.text("llama"))), in: Workbench())
      #expect(imported.status == 0, "\(imported.errors)")
    }
  #endif
}
