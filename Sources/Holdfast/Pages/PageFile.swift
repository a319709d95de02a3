import Foundation

/// A database file under a working name, read and written page by page, with the hashes of its pages. With a key it takes and gives
/// decrypted pages. No connection may have it open.
final class PageFile {
  let url: URL
  /// Of the pages as they are in the file now; without any where nobody needs them.
  private(set) var hashes: PageHashes
  private let file: FileHandle
  private let cipher: PageCipher?

  init(_ url: URL, _ hashes: PageHashes, _ key: StoreKey?) throws {
    (self.url, self.hashes) = (url, hashes)
    cipher = try DurableFile.naming(url) { try key.map { try PageCipher($0, pageBytes: hashes.pageBytes) } }
    // Written without SQLite: a database that is being made page by page, under a working name.
    file = try DurableFile.naming(url) { try FileHandle(forUpdating: url) }
  }

  /// Cuts the file, or lengthens it with pages of zero bytes. Throws `.damaged` for more pages than it can have once `changes` of them are
  /// written, and names `what` gives it this size.
  func resize(to pages: UInt32, changes: Int, _ what: String) throws {
    guard hashes.mayHave(pages, changes: changes) else {
      throw StoreError(.damaged, "\(what) has \(pages) pages, which is impossible")
    }
    guard hashes.pages != pages else { return }
    let more = (Int64(pages) - Int64(hashes.pages)) * Int64(hashes.pageBytes)
    if more > 0 { try DurableFile.checkFreeSpace(more, in: url.deletingLastPathComponent(), for: what) }
    try DurableFile.naming(url) { try file.truncate(atOffset: UInt64(pages) * UInt64(hashes.pageBytes)) }
    hashes.resize(to: pages)
  }

  /// Reads a page; zero bytes behind the file's end, and the bytes as they stand for a page that cannot be decrypted.
  func read(_ number: UInt32) throws -> Data {
    var page = Data(count: hashes.pageBytes)
    try page.withUnsafeMutableBytes { page in
      guard pread(file.fileDescriptor, page.baseAddress, page.count, offset(number)) >= 0 else {
        throw DurableFile.posix(url.path, .inputOutput)
      }
      _ = try cipher?.open(number, page)
    }
    return page
  }

  /// Writes a page, which is sealed in its place. Returns its hash, as it was before.
  @discardableResult
  func write(_ number: UInt32, _ page: UnsafeMutableRawBufferPointer) throws -> UInt64 {
    let hash = hashes.hash(number, UnsafeRawBufferPointer(page))
    hashes.set(number, hash)
    try cipher?.seal(number, page)
    let written = pwrite(file.fileDescriptor, page.baseAddress, page.count, offset(number))
    guard written == page.count else { throw DurableFile.posix(url.path, .inputOutput, written < 0 ? errno : ENOSPC) }
    return hash
  }

  func flush() throws { try DurableFile.naming(url) { try file.synchronize() } }

  private func offset(_ number: UInt32) -> off_t { off_t(Int64(number) - 1) * off_t(hashes.pageBytes) }
}
