import Foundation

/// What the shim recorded of one process, in the kernel's order.
struct Trace {
  enum Operation {
    case create(String, inode: UInt64)
    case write(inode: UInt64, offset: Int, ArraySlice<UInt8>)
    case cut(inode: UInt64, length: Int)
    case flush(inode: UInt64)
    case flushFolder(String)
    case rename(String, String, exchanges: Bool)
    case link(String, String)
    case unlink(String)
    case makeFolder(String)
    case removeFolder(String)
    case acknowledge(String)
  }

  private(set) var operations: [Operation] = []

  /// `root` is taken off every path.
  init(_ path: String, root: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var at = 0
    func number<N: FixedWidthInteger>(_ offset: Int, _: N.Type) -> N {
      (0..<MemoryLayout<N>.size).reduce(0) { $0 | N(truncatingIfNeeded: bytes[at + offset + $1]) << N($1 * 8) }
    }
    while at + 32 <= bytes.count {
      let lengths = [Int(number(4, UInt32.self)), Int(number(8, UInt32.self)), Int(number(12, UInt32.self))]
      let (inode, offset) = (number(16, UInt64.self), Int(number(24, Int64.self)))
      let operation = bytes[at]
      let start = at + 32
      guard start + lengths.reduce(0, +) <= bytes.count else { break }
      func path(_ from: Int, _ length: Int) -> String {
        let text = String(decoding: bytes[from..<from + length], as: UTF8.self)
        return text.hasPrefix(root + "/") ? String(text.dropFirst(root.count + 1)) : text == root ? "" : text
      }
      let first = path(start, lengths[0])
      let second = path(start + lengths[0], lengths[1])
      let data = bytes[(start + lengths[0] + lengths[1])..<(start + lengths.reduce(0, +))]
      at = start + lengths.reduce(0, +)
      switch UnicodeScalar(operation) {
      case "c": operations.append(.create(first, inode: inode))
      case "w": operations.append(.write(inode: inode, offset: offset, data))
      case "t": operations.append(.cut(inode: inode, length: offset))
      case "s": operations.append(.flush(inode: inode))
      case "d": operations.append(.flushFolder(first))
      case "r": operations.append(.rename(first, second, exchanges: offset & 2 != 0))
      case "l": operations.append(.link(first, second))
      case "u": operations.append(.unlink(first))
      case "m": operations.append(.makeFolder(first))
      case "x": operations.append(.removeFolder(first))
      case "A":
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") { operations.append(.acknowledge(String(line))) }
      default: throw CocoaError(.fileReadCorruptFile)
      }
    }
  }
}
