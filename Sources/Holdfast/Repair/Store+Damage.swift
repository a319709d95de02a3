public import Foundation
internal import GRDB

extension Store {
  /// The damage of this store's file that is known; nil when none is. A read or write that meets damage tells it, and so does a look: see
  /// `StoreOptions.looksForDamageEvery`. What can still be read goes on being served. While damage is known, no snapshot and no part of the
  /// archive is removed. It is kept beside the store until `heal()`, a restore, a rewind, or a clean look. Nil for a store in memory.
  public var damage: StoreDamage? { damageWatch?.found }

  /// The damage that is known of the store at `url`, whether it is open or not; nil when none is.
  ///
  /// - Throws: the errors of following the path's links.
  public static func damage(of url: URL) throws -> StoreDamage? { StoreHealth(try StoreFiles(url)).damage }

  /// The present `damage`, and then each change. Ends when the store is closed.
  public func damageUpdates() -> AsyncStream<StoreDamage?> {
    damageWatch?.updates()
      ?? AsyncStream { continuation in
        continuation.yield(nil)
        continuation.finish()
      }
  }

  /// Looks for damage now: compares all pages with the archive, if this store writes one, and runs SQLite's quick check. Writes wait for
  /// some milliseconds at a time; reads go on.
  ///
  /// - Returns: what it found; `damage` is the same then.
  /// - Throws: the errors of reading; `.closed`.
  @discardableResult
  public func lookForDamage() throws -> StoreDamage? {
    try OpenDoor.check(self)
    try connections.checkOpen(path)
    guard let damageWatch else { return nil }
    return try telling { try damageWatch.look(in: self) }
  }

  /// The same without blocking the caller.
  @discardableResult
  public func lookForDamage() async throws -> StoreDamage? { try await offTask { _ in try self.lookForDamage() } }

  /// The pages that are not as they were archived. Empty where this store writes no archive at the moment.
  func pagesUnlikeArchive() throws -> [UInt32] {
    guard let archiver else { return [] }
    var (found, next): ([UInt32], UInt32?) = ([], 1)
    while let first = next {
      let part = try onWriter { _ in try archiver.pagesUnlikeArchive(from: first, count: 2_048) }
      found += part.pages
      next = part.next
    }
    return found
  }
}

extension Archiver {
  /// Of `count` pages from `first` on, those of the file that are not as they were archived; and where to go on. Pages whose
  /// content stands in the log only are left out: it was hashed when it was archived. Called on the writer's queue, outside a transaction.
  func pagesUnlikeArchive(from first: UInt32, count: UInt32) throws -> (pages: [UInt32], next: UInt32?) {
    try urgently {
      attempt { try drain(all: true) }
      var pages: [UInt32] = []
      guard phase == .following, status.problem == nil, let source, first <= hashes.pages else { return ([], nil) }
      let last = min(hashes.pages, first &+ (count - 1))
      for number in first...last where try differs(number, source) { pages.append(number) }
      if !pages.isEmpty {
        // Another process may have made a commit, and moved it into the file, since.
        attempt { try drain(all: true) }
        guard phase == .following, status.problem == nil else { return ([], nil) }
        pages = try pages.filter { try differs($0, source) }
      }
      return (pages, last < hashes.pages ? last + 1 : nil)
    }
  }

  private func differs(_ number: UInt32, _ source: ArchiveSource) throws -> Bool {
    guard let known = hashes[number], mayBeginAnew || follower?.latest[number] == nil else { return false }
    var page = [UInt8](repeating: 0, count: hashes.pageBytes)
    try page.withUnsafeMutableBytes { try source.page(number, into: $0) }
    return page.withUnsafeBytes { hashes.hash(number, $0) } != known
  }
}
