internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// A `PageCipher` that is made when the first page is there; nil where nothing is encrypted.
final class PageOpener {
  private let key: StoreKey
  private var cipher: PageCipher?

  init?(_ key: StoreKey?) {
    guard let key else { return nil }
    self.key = key
  }

  /// As `PageCipher.open`.
  func open(_ number: UInt32, _ page: UnsafeMutableRawBufferPointer) throws -> Bool {
    let cipher = try cipher ?? PageCipher(key, pageBytes: page.count)
    self.cipher = cipher
    return try cipher.open(number, page)
  }
}

/// Decrypts and encrypts single pages, as SQLite does it for a key.
///
/// SQLite encrypts a page of a file, and of its log, with the key and the page's number. So a page that is laid at its place into a scratch file
/// of the same key can be read and written there. The scratch file has no name, and holds encrypted bytes only.
///
/// At the end of an encrypted page stand the cipher's nonce and its proof, which are new with each writing. A decrypted page has zeros there,
/// and 1 as its last byte. A page that SQLite never wrote has only zeros, encrypted or not.
final class PageCipher {
  static let proofBytes = 64
  /// The scratch file is emptied when more was laid into it.
  private static let mostBytes = 32 << 20

  private let scratch: RawConnection
  private let file: FileHandle
  private var bytes = 0
  /// What kept `openOrNote` from its work.
  private var failure: (any Error)?

  /// - Throws: `.encryptionUnavailable`; `.inputOutput` where the temporary folder has no room, or cannot be written.
  init(_ key: StoreKey, pageBytes: Int) throws {
    do {
      (scratch, file) = try Self.scratch(key, pageBytes)
    } catch {
      throw Self.failure(error)
    }
  }

  private static func scratch(_ key: StoreKey, _ pageBytes: Int) throws -> (RawConnection, FileHandle) {
    let folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "decrypting")
    defer { withExtendedLifetime(folder) {} }
    let url = folder.file("page.sqlite")
    let scratch = try ConnectionFactory(url.path, .production(key)).working()
    // From here on SQLite knows the cipher and the size of the pages.
    for statement in ["PRAGMA journal_mode = MEMORY", "PRAGMA page_size = \(pageBytes)", "CREATE TABLE page (bytes)"] {
      try scratch.run(statement)
    }
    // Written without SQLite: pages to be decrypted, in a file without a name.
    do { return (scratch, try FileHandle(forUpdating: url)) } catch { throw DurableFile.failure(error, url) }
  }

  /// Not the code of a full disk: that of the store may have room.
  private static func failure(_ error: any Error) -> StoreError {
    let error = StoreError(error)
    guard [.diskFull, .inputOutput, .cannotCreate, .permissionDenied, .readOnly, .notFound].contains(error.code) else { return error }
    let folder = FileManager.default.temporaryDirectory.path
    return StoreError(
      .inputOutput, "pages cannot be decrypted in the temporary folder \(folder): \(error.message)",
      suggestion: "Make room in that folder, or set TMPDIR to another one.", cause: error)
  }

  /// Decrypts a page in its place. Returns false, and leaves the page, where it was changed since SQLite wrote it, or has another key.
  func open(_ number: UInt32, _ page: UnsafeMutableRawBufferPointer) throws -> Bool {
    guard page.contains(where: { $0 != 0 }) else { return true }
    let place = try place(number, page.count)
    try move(page.count, pwrite(file.fileDescriptor, page.baseAddress, page.count, off_t(place)))
    let code = holdfast_read(scratch.handle, page.baseAddress, Int32(page.count), place)
    guard code == SQLITE_OK else {
      guard [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code) else { throw Self.failure(scratch.failure(code)) }
      try move(page.count, pread(file.fileDescriptor, page.baseAddress, page.count, off_t(place)))
      return false
    }
    setProof(of: page, last: 1)
    return true
  }

  /// The same where nothing can be thrown. Call `check` in the end: an error counts as a damaged page until then.
  func openOrNote(_ number: UInt32, _ page: UnsafeMutableRawBufferPointer) -> Bool {
    do { return try open(number, page) } catch {
      failure = failure ?? error
      return false
    }
  }

  func check() throws { if let failure { throw failure } }

  /// Encrypts a decrypted page in its place.
  func seal(_ number: UInt32, _ page: UnsafeMutableRawBufferPointer) throws {
    guard page.last != 0 else { return }
    setProof(of: page, last: 0)
    let place = try place(number, page.count)
    let code = holdfast_write(scratch.handle, page.baseAddress, Int32(page.count), place)
    guard code == SQLITE_OK else { throw Self.failure(scratch.failure(code)) }
    try move(page.count, pread(file.fileDescriptor, page.baseAddress, page.count, off_t(place)))
  }

  private func setProof(of page: UnsafeMutableRawBufferPointer, last: UInt8) {
    for place in page.suffix(Self.proofBytes).indices { page[place] = 0 }
    page[page.count - 1] = last
  }

  private func place(_ number: UInt32, _ count: Int) throws -> Int64 {
    bytes += count
    if bytes > Self.mostBytes {
      try move(0, Int(ftruncate(file.fileDescriptor, 0)))
      bytes = count
    }
    return (Int64(number) - 1) * Int64(count)
  }

  private func move(_ wanted: Int, _ moved: Int) throws {
    guard moved == wanted else { throw Self.failure(DurableFile.posix("a page", .inputOutput, moved < 0 ? errno : ENOSPC)) }
  }
}

extension PageHashes {
  /// Hashes pages 1 to `pages`.
  mutating func read(_ pages: UInt32, _ page: (UInt32, UnsafeMutableRawBufferPointer) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: pageBytes)
    for number in stride(from: 1, through: Int(pages), by: 1) {
      try buffer.withUnsafeMutableBytes { try page(UInt32(number), $0) }
      append(buffer.withUnsafeBytes { hash(UInt32(number), $0) })
    }
  }

  /// The hashes of a file, without its log. With a key: of its decrypted pages.
  ///
  /// - Parameter unreadable: the error where no page has this key.
  static func of(
    _ url: URL, pageBytes: Int, _ key: StoreKey?, _ unreadable: @autoclosure () -> StoreError? = nil
  ) throws -> PageHashes {
    var hashes = PageHashes(pageBytes: pageBytes)
    let file = try FileBytes(url)
    let cipher = try key.map { try PageCipher($0, pageBytes: pageBytes) }
    var isOpened = cipher == nil
    try hashes.read(UInt32(clamping: file.count / Int64(pageBytes))) { number, buffer in
      let page = try file.next(buffer.count)
      guard page.count == buffer.count else { throw StoreError(.inputOutput, "\(url.path) became shorter while it was read") }
      page.copyBytes(to: buffer)
      // A damaged page has another hash, anyway.
      if let cipher, try cipher.open(number, buffer), buffer.last != 0 { isOpened = true }
    }
    if !isOpened, hashes.pages > 0, let error = unreadable() { throw error }
    return hashes
  }
}

extension ArchiveWalk {
  /// The error of a base of which no page can be read: damage, if the key is right.
  var isUnreadable: StoreError {
    let path = generation.base(base.commit).path
    guard generation.hasRecords(with: generation.key) else { return StoreError(.wrongKey, "\(path) has another key, or is damaged") }
    return StoreError(.damaged, "the base \(path) is damaged", suggestion: Self.suggestionWithoutBase)
  }
}
