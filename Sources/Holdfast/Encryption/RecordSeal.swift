import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// Seals the records of an encrypted store's archive, with a key that is derived from the store's. Format: Documentation/ArchiveFormat.md
struct RecordSeal {
  /// The kind, three zero bytes, and the number of the commit: these can be read without the key.
  private static let clearBytes = 12
  private let key: SymmetricKey

  init(_ key: StoreKey) {
    self.key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: key.bytes), info: Data("holdfast archive".utf8), outputByteCount: 32)
  }

  func seal(_ body: Data, commit: Int64) throws -> Data {
    var sealed = Data([ArchiveRecord.sealedKind, 0, 0, 0])
    sealed.add(commit)
    guard let box = try AES.GCM.seal(body, using: key, authenticating: sealed).combined else {
      throw StoreError(.encryptionUnavailable, "a record of the archive could not be sealed")
    }
    return sealed + box
  }

  /// Nil where it was sealed with another key, or is not as it was.
  func open(_ sealed: Data) -> Data? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(Self.clearBytes)) else { return nil }
    return try? AES.GCM.open(box, using: key, authenticating: sealed.prefix(Self.clearBytes))
  }
}

extension ArchiveRecord {
  static let sealedKind: UInt8 = 5

  /// With its length and checksum, as it stands in a segment.
  func framed(_ seal: RecordSeal?) throws -> Data {
    let body = try seal?.seal(self.body, commit: number) ?? self.body
    var framed = Data(capacity: body.count + Self.frameBytes)
    framed.add(UInt32(body.count))
    framed.add(Self.checksum(body))
    framed.append(body)
    return framed
  }

  private var number: Int64 {
    switch self {
    case .commit(let commit): commit.number
    case .label(let mark), .note(let mark): mark.commit
    case .end(let commit, _): commit
    case .sealed, .unknown: 0
    }
  }

  private static let unfinished =
    "Give the key of the store. If that was given, an earlier `encrypt`, `rekey` or `decrypt` did not finish: do the same again."

  /// The record itself, of a segment whose records are sealed, or not.
  ///
  /// - Throws: `.keyNeeded`, `.wrongKey`, `.notEncrypted`.
  func opened(_ seal: RecordSeal?, _ url: URL) throws -> ArchiveRecord {
    switch (self, seal) {
    case (.sealed(let body), let seal?):
      guard let record = seal.open(body).flatMap(Self.read) else {
        throw StoreError(.wrongKey, "\(url.path) has another key", suggestion: Self.unfinished)
      }
      return record
    case (.sealed, nil): throw StoreError(.keyNeeded, "\(url.path) is encrypted, and no key was given", suggestion: Self.unfinished)
    case (.unknown, _), (_, nil): return self
    default: throw StoreError(.notEncrypted, "\(url.path) is not encrypted, and a key was given", suggestion: Self.unfinished)
    }
  }
}

extension ArchiveFolder.Generation {
  var seal: RecordSeal? { key.map(RecordSeal.init) }

  func reader(_ first: Int64) throws -> SegmentReader { try SegmentReader(segment(first), seal) }

  /// Whether a record of a segment can be read with this key.
  func hasRecords(with key: StoreKey?) -> Bool {
    segments.contains { (try? SegmentReader(segment($0), key.map(RecordSeal.init)).nextBeforeDamage()) ?? nil != nil }
  }
}
