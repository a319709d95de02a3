internal import CHoldfast
import Foundation

/// A hash of each page of a database, and the checksum of the state, which is made of them. Both: Documentation/ArchiveFormat.md
struct PageHashes: Equatable {
  let pageBytes: Int
  private(set) var state: UInt64 = 0
  /// By page number less 1. Eight bytes for each page: 2 MB for a store of 1 GB.
  private var hashes: [UInt64] = []

  init(pageBytes: Int) { self.pageBytes = pageBytes }

  var pages: UInt32 { UInt32(clamping: hashes.count) }

  /// SQLite never writes this page: its lock bytes lie there.
  private var lockPage: UInt32 { UInt32((1 << 30) / pageBytes + 1) }

  subscript(_ number: UInt32) -> UInt64? { number >= 1 && Int(number) <= hashes.count ? hashes[Int(number) - 1] : nil }

  /// The hash of a page's bytes; 0 for the page of the lock bytes.
  func hash(_ number: UInt32, _ page: UnsafeRawBufferPointer) -> UInt64 {
    guard number != lockPage, let start = page.baseAddress else { return 0 }
    return holdfast_page_hash(number, start, page.count)
  }

  /// Whether the database can have so many pages after `changes` of them were written: there are never many new pages that nobody wrote.
  func mayHave(_ pages: UInt32, changes: Int) -> Bool { Int64(pages) <= Int64(hashes.count) + Int64(changes) + 1_000_000 }

  /// Cuts the database, or lengthens it with pages of zero bytes.
  mutating func resize(to pages: UInt32) {
    while hashes.count > Int(pages) { state ^= hashes.removeLast() }
    guard hashes.count < Int(pages) else { return }
    let zeros = [UInt8](repeating: 0, count: pageBytes)
    while hashes.count < Int(pages) { append(zeros.withUnsafeBytes { hash(UInt32(hashes.count + 1), $0) }) }
  }

  mutating func append(_ hash: UInt64) {
    hashes.append(hash)
    state ^= hash
  }

  /// Gives a page its new hash. The page must be within the database.
  mutating func set(_ number: UInt32, _ hash: UInt64) {
    guard let before = self[number] else { return }
    state ^= before ^ hash
    hashes[Int(number) - 1] = hash
  }
}
