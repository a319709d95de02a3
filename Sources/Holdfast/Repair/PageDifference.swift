import Foundation

/// How the pages of a store differ from the newest state of its archive.
struct PageDifference {
  /// Pages that cannot be read, have lost the form of a page, or are as they were at an earlier time, as after a write that the disk lost.
  private(set) var damaged: [UInt32] = []
  /// Sound pages whose content no state of the archive has: another program has committed without archiving, or damage has kept the form.
  private(set) var unknown: [UInt32] = []
  /// Whether such commits are certain: the store counts more changes of its first page than the archive knows.
  private(set) var provesCommits = false

  var count: Int { damaged.count + unknown.count }

  init(of present: DamagedFile, from archived: ArchivedState) throws {
    let hashes = archived.hashes
    guard present.pageBytes == hashes.pageBytes else {
      // Another program has written the whole file anew.
      (unknown, provesCommits) = (present.numbers.map { UInt32(clamping: $0) }, true)
      return
    }
    for number in Set(present.numbers).union(1...max(1, Int(hashes.pages))).sorted() {
      let page = UInt32(clamping: number)
      let content = present.page(number)
      // The archive, too, keeps a page as it stands that cannot be decrypted.
      let hash = (content?.bytes ?? present.bytes(of: number)).map { $0.withUnsafeBytes { hashes.hash(page, $0) } }
      guard hash != hashes[page] else { continue }
      if let hash, let content, !archived.wasMet(page, hash), Self.isSound(number, content, in: present) {
        unknown.append(page)
      } else {
        damaged.append(page)
      }
    }
    if unknown.contains(1), let now = present.page(1).flatMap({ DatabaseHeader($0.bytes).changes }),
      let then = try DatabaseHeader(archived.page(1)).changes
    {
      provesCommits = now > then
    }
  }

  private static func isSound(_ number: Int, _ content: PageBytes, in file: DamagedFile) -> Bool {
    guard content.bytes.contains(where: { $0 != 0 }) else { return false }
    // The cipher does not prove the bytes that tell the size of a page.
    if number == 1, !file.hasHeader || DatabaseHeader(content.bytes).pageBytes != file.pageBytes { return false }
    guard let page = RawPage(number, of: file) else {
      // A page of a long value, or of the list of free pages: it begins with the number of the next one.
      return number > 1 && content.int(0, 4).map { $0 <= file.pageCount } ?? false
    }
    return page.isWhole && page.children.count == page.named.count && page.rows(of: file).unreadable == 0
  }
}

/// Whose a copy is, beside a damaged file.
enum CopyOwner: Equatable {
  case same
  case other(owner: String, own: String)
  /// The file does not tell its id any more, and less than half of its pages are as in the copy.
  case unproven
}

extension DamagedFile {
  func owner(of copy: URL, _ key: StoreKey?) throws -> CopyOwner {
    guard let owner = StoreFiles.id(in: copy, key) else { return .same }
    if let own = line?.store { return own == owner ? .same : .other(owner: owner, own: own) }
    // Of a file that has no page of a store any more nothing can tell more, as of one that is gone.
    guard numbers.contains(where: { RawPage($0, of: self) != nil }) else { return .same }
    let then = try DamagedFile(copy, log: StoreFiles(real: copy).log, guess: pageBytes, key)
    let equal = then.numbers.count { then.page($0)?.bytes == page($0)?.bytes }
    return pageBytes == then.pageBytes && equal * 2 >= min(then.pageCount, pageCount) ? .same : .unproven
  }
}

extension ArchivedState {
  /// Makes a copy of this state with these pages of the store in it. Returns false where that is impossible.
  func copy(keeping numbers: [UInt32], of present: DamagedFile, at url: URL) throws -> Bool {
    guard present.pageBytes == hashes.pageBytes else { return false }
    _ = try DurableFile.remove(url)
    try DurableFile.copy(file, to: url)
    let mixed = try PageFile(url, hashes, key)
    // The first page tells how many there are.
    let told = numbers.contains(1) ? present.page(1)?.int(28, 4).map { UInt32(clamping: $0) } : nil
    let count = told ?? max(hashes.pages, numbers.max() ?? 0)
    guard count > 0, hashes.mayHave(count, changes: numbers.count) else { return false }
    try mixed.resize(to: count, changes: numbers.count, "the store")
    for number in numbers where number <= count {
      guard var bytes = present.page(Int(number))?.bytes else { return false }
      try bytes.withUnsafeMutableBytes { _ = try mixed.write(number, $0) }
    }
    try mixed.flush()
    return true
  }
}
