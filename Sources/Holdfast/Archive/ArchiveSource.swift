internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// What the archiver reads of the store's file. Used on the archiver's queue.
final class ArchiveSource {
  /// For bytes as they are on the disk, also of an encrypted file.
  private let bytes: RawConnection
  /// Nil after `endReading`.
  private var reader: RawConnection?
  private let opener: PageOpener?
  private(set) var isPinned = false
  private let files: StoreFiles

  init(_ files: StoreFiles, _ options: StoreOptions) throws {
    (self.files, opener) = (files, PageOpener(options.key))
    bytes = try ConnectionFactory.plain(files.path)
    reader = try ConnectionFactory(files, options).copySource()
  }

  /// Begins a read transaction. SQLite then begins no log anew that has frames which the transaction may read.
  func pin() {
    guard !isPinned, (try? reader?.run("BEGIN")) != nil else { return }
    isPinned = (try? reader?.texts("SELECT 1 FROM sqlite_schema LIMIT 1")) != nil
    if !isPinned { try? reader?.run("ROLLBACK") }
  }

  /// Lets go of the frames that are in the file by now. Returns whether a new read transaction could be begun.
  @discardableResult
  func pinAnew() -> Bool {
    unpin()
    pin()
    return isPinned
  }

  private func unpin() {
    if isPinned { try? reader?.run("ROLLBACK") }
    isPinned = false
  }

  /// How many frames of the log with this header are committed. A process that is within COMMIT, or was killed there, leaves whole frames behind
  /// them: the next commit writes over those, and the archive must not have them. Throws `.busy` when SQLite's index cannot be read.
  func committedFrames(of header: LogHeader) throws -> UInt32 {
    let index = try logIndex()
    // Of a log that is just begun anew nothing is committed yet; of the one before it, all was archived.
    return index.salts == header.salts ? index.frames : 0
  }

  /// How many frames of the log are committed, and how many of them are in the file.
  func logIndex() throws -> (frames: UInt32, moved: UInt32, salts: UInt64) {
    var (frames, moved, salts, code): (UInt32, UInt32, UInt64, Int32) = (0, 0, 0, SQLITE_BUSY)
    for attempt in 0..<100 where code == SQLITE_BUSY {
      // SQLite repairs an index that a killed process has left half written.
      if attempt == 20 { pinAnew() } else if attempt > 0 { usleep(1_000) }
      code = holdfast_log_index(bytes.handle, &frames, &moved, &salts)
    }
    guard code == SQLITE_OK else { throw bytes.failure(code) }
    return (frames, moved, salts)
  }

  /// Gives SQLite's lock on the file back. Pages can still be read.
  func endReading() {
    unpin()
    reader = nil
  }

  /// All rows of a query on the store, each value as text. A pinned reader sees the store as it was then.
  func texts(_ sql: String) throws -> [[String?]] { try reader?.texts(sql) ?? [] }

  func pageBytes() throws -> Int {
    guard let text = try texts("PRAGMA page_size").first?.first ?? nil, let bytes = Int(text) else {
      throw StoreError(.damaged, "\(files.path) has no size of pages")
    }
    return bytes
  }

  /// Reads a page of the file, decrypted, as of the last checkpoint; zero bytes behind its end. A damaged page stays encrypted.
  func page(_ number: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws {
    let code = holdfast_read(bytes.handle, buffer.baseAddress, Int32(buffer.count), Int64(number - 1) * Int64(buffer.count))
    guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else { throw bytes.failure(code) }
    _ = try opener?.open(number, buffer)
  }

  /// The hashes of all pages at the end of the archive: of the file, with the archived frames of the log. Places `follower` there. Throws
  /// `ArchiveGap` when that state is not the archive's last one. `mayBeginAnew`: the file has that state without the log.
  func hashes(_ end: ArchiveEnd, _ follower: LogFollower) throws -> (hashes: PageHashes, mayBeginAnew: Bool) {
    guard try pageBytes() == end.pageBytes else { throw ArchiveGap.pageSizeChanged }
    var hashes = PageHashes(pageBytes: end.pageBytes)
    let pages = UInt32(clamping: try FileBytes.size(bytes, files.path) / Int64(end.pageBytes))
    try hashes.read(pages) { number, buffer in try page(number, into: buffer) }
    let isInFile = hashes.state == end.state && hashes.pages == end.pages
    if try follower.begin(at: end.place) {
      guard hashes.mayHave(end.pages, changes: follower.latest.count) else { throw ArchiveGap.recordImpossible }
      hashes.resize(to: end.pages)
      var buffer = [UInt8](repeating: 0, count: end.pageBytes)
      for (number, frame) in follower.latest where number <= end.pages {
        try buffer.withUnsafeMutableBytes { try follower.page(number, inFrame: frame, into: $0) }
        hashes.set(number, buffer.withUnsafeBytes { hashes.hash(number, $0) })
      }
    }
    try end.check(hashes)
    // SQLite begins a log anew that holds no commit.
    if follower.place.frames == 0, try follower.presentHeader().map(committedFrames) ?? 0 == 0 { follower.begin(nil) }
    return (hashes, follower.place.salts == 0 || follower.place.frames > 0 && isInFile)
  }
}

extension ArchiveFolder.Generation {
  /// Copies the store's file as this base. Throws `.busy` when pages were moved into the file meanwhile, or since `state` if given.
  func make(_ base: ArchiveBase, of files: StoreFiles, since state: StoreFiles.State?) throws -> PageHashes {
    let before = state ?? StoreFiles.State(files, withoutLog: true)
    try DurableFile.makeFolder(url)
    try DurableFile.checkFreeSpace(DurableFile.size(files.path), in: url, for: "the archive of \(files.path)")
    let folder = try WorkingFolder(in: url, "copying")
    let working = folder.file("base.sqlite")
    try DurableFile.copy(files.url, to: working)
    let hashes = try PageHashes.of(working, pageBytes: base.pageBytes, key)
    guard before == StoreFiles.State(files, withoutLog: true) else {
      throw StoreError(.busy, "\(files.path) was written to while it was copied into its archive", recoveryOptions: [.retry])
    }
    var described = base
    (described.pages, described.state) = (hashes.pages, ArchiveBase.digits(hashes.state))
    described.store = StoreFiles.id(in: working, key)
    // A killed process has left a copy without a description.
    let left = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
    for file in left where file.pathExtension == "sqlite" { _ = try DurableFile.remove(file) }
    try DurableFile.place(working, at: self.base(base.commit))
    try DurableFile.replace(description(base.commit), with: described.encoded())
    return hashes
  }
}
