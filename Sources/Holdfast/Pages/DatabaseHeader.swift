import Foundation

/// The beginning of a database file. Format: https://www.sqlite.org/fileformat2.html#the_database_header
struct DatabaseHeader {
  static let bytes = 100

  private let bytes: PageBytes

  /// - Parameter bytes: the first bytes of a file, or its first page; fewer than 100 where the file is shorter.
  init(_ bytes: some Collection<UInt8>) { self.bytes = PageBytes(Array(bytes.prefix(Self.bytes))) }

  /// Of a file that may be in use.
  init(of url: URL) throws { self.init(try FileBytes(url).read(Self.bytes)) }

  /// Whether these are the bytes of a database that is not encrypted.
  var isPlain: Bool { bytes.bytes.starts(with: Array("SQLite format 3\0".utf8)) }

  /// The size of a page; nil where the bytes name none. These bytes are also clear in an encrypted file.
  var pageBytes: Int? { bytes.int(16, 2).map { $0 == 1 ? 65_536 : $0 }.flatMap { $0.isPageSize ? $0 : nil } }

  /// Whether the file keeps a log; clear in an encrypted file, too.
  var keepsLog: Bool { bytes.int(18, 1) == 2 }

  /// The bytes at the end of each page that SQLite leaves to its extensions.
  var reservedBytes: Int { bytes.int(20, 1) ?? 0 }

  /// Whether the clear bytes are those of an encrypted store: only such a store leaves room at the end of each page, for nonce and proof.
  var isEncrypted: Bool {
    guard !isPlain, pageBytes != nil, let versions = bytes.int(18, 2), let fractions = bytes.slice(20, 4) else { return false }
    return [0x0101, 0x0202].contains(versions) && fractions.elementsEqual([UInt8(PageCipher.proofBytes), 64, 32, 32])
  }

  /// A count of the first page's changes: it grows, but not with every commit. SQLite writes it twice; nil where the two differ.
  var changes: Int? { bytes.int(24, 4) == bytes.int(92, 4) ? bytes.int(24, 4) : nil }

  /// The first page of the list of free pages; 0: there is none.
  var freeList: Int? { bytes.int(32, 4) }

  var isEmpty: Bool { bytes.bytes.allSatisfy { $0 == 0 } }
}
