internal import CHoldfast
import Foundation

/// Collects the pages of one record: each as its difference from the page before where that is known, else whole.
struct PageDelta {
  let pageBytes: Int
  private(set) var changes: [ArchiveRecord.Change] = []
  private(set) var content = Data()
  private var earlier: [UInt8]

  init(pageBytes: Int) { (self.pageBytes, earlier) = (pageBytes, [UInt8](repeating: 0, count: pageBytes)) }

  /// Adds a page, unless it has not changed. Returns its hash. `known` is the hash of the page before; nil where there was none.
  /// `readEarlier` reads the page before, and returns whether its hash is certain; else a page with another hash than `known` is not used.
  mutating func add(
    _ number: UInt32, known: UInt64?, _ hashes: PageHashes, read: (UnsafeMutableRawBufferPointer) throws -> Void,
    earlier readEarlier: (UnsafeMutableRawBufferPointer) throws -> Bool
  ) throws -> UInt64 {
    let start = content.count
    content.append(contentsOf: repeatElement(0, count: pageBytes))
    let hash = try content.withUnsafeMutableBytes { all in
      let page = UnsafeMutableRawBufferPointer(rebasing: all[start...])
      try read(page)
      return hashes.hash(number, UnsafeRawBufferPointer(page))
    }
    var isDifference = false
    if let known {
      let isCertain = try earlier.withUnsafeMutableBytes { try readEarlier($0) }
      isDifference = isCertain || earlier.withUnsafeBytes { hashes.hash(number, $0) } == known
      // Compared byte by byte: two pages may have the same hash.
      if isDifference, hash == known, content.suffix(pageBytes).elementsEqual(earlier) {
        content.removeLast(pageBytes)
        return hash
      }
    }
    if isDifference {
      content.withUnsafeMutableBytes { all in
        earlier.withUnsafeBytes { holdfast_exclusive_or(all.baseAddress.map { $0 + start }, $0.baseAddress, pageBytes) }
      }
    }
    changes.append(.init(page: number, isDifference: isDifference))
    return hash
  }
}
