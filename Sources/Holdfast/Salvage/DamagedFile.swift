import Foundation

/// The pages of a damaged database, with those of its log up to the last commit that the log's checksums prove. Reads without SQLite.
struct DamagedFile {
  private let data: Data
  private let log: Data
  private let cipher: PageCipher?
  /// The place in the log of each page's newest content.
  private var frames: [Int: Int] = [:]
  let pageBytes: Int
  /// The bytes of a page that hold content; the rest of it belongs to extensions of SQLite.
  let usableBytes: Int
  private(set) var pageCount: Int
  /// Pages that hold nothing, as the file itself says.
  private(set) var free: Set<Int> = []
  /// Whether the first 100 bytes are those of a database.
  private(set) var hasHeader: Bool
  /// That there is a log, of another store or another time, that was not read, in words; nil where there is none.
  private(set) var ignoredLog: String?

  /// - Parameters:
  ///   - file: a private copy of the file: the system may end a program whose mapped file is cut off.
  ///   - guess: the size of a page in bytes where neither the header nor the log tells it.
  ///   - key: of an encrypted file.
  ///   - path: the file, for people.
  /// - Throws: `.wrongKey` where no page can be read with the key.
  init(_ file: URL, log logFile: URL, guess: Int, _ key: StoreKey?, named path: String? = nil) throws {
    do {
      data = DurableFile.size(file.path) > 0 ? try Data(contentsOf: file, options: .alwaysMapped) : Data()
      log = DurableFile.size(logFile.path) > 0 ? try Data(contentsOf: logFile, options: .alwaysMapped) : Data()
    } catch {
      throw DurableFile.failure(error, file)
    }
    let header = PageBytes(Array(data.prefix(100)))
    // The size of a page is also in the clear bytes of an encrypted file.
    let said = header.int(16, 2).map { $0 == 1 ? 65_536 : $0 }.flatMap { $0.isPageSize ? $0 : nil }
    let logHeader = log.withUnsafeBytes { LogHeader($0) }
    let isPlain = Self.isHeader(header) && said != nil
    if let key {
      // The bytes that tell the size may be damaged.
      let sizes = [said, logHeader?.pageBytes, guess].compactMap { $0 } + (10...16).map { 1 << $0 }
      (pageBytes, cipher) = try Self.opening(data, log, logHeader, sizes.filter { $0 >= 1_024 }, key, path ?? file.path)
    } else {
      pageBytes = (isPlain ? said : nil) ?? logHeader?.pageBytes ?? Self.likelySize(data, guess)
      cipher = nil
    }
    let reserved = key == nil ? isPlain ? header.int(20, 1) ?? 0 : 0 : PageCipher.proofBytes
    usableBytes = pageBytes - reserved >= 480 ? pageBytes - reserved : pageBytes
    pageCount = (data.count + pageBytes - 1) / pageBytes
    hasHeader = isPlain
    if let logHeader, logHeader.pageBytes == pageBytes { readLog(logHeader) }
    if cipher != nil { hasHeader = page(1).map(Self.isHeader) ?? false }
    free = freePages()
    leaveForeignLog()
    try check()
  }

  /// The first size of a page at which a page of the file, or of the log, can be decrypted.
  private static func opening(
    _ data: Data, _ log: Data, _ header: LogHeader?, _ sizes: [Int], _ key: StoreKey, _ path: String
  ) throws -> (Int, PageCipher) {
    if let size = sizes.first, data.isEmpty, log.isEmpty { return (size, try PageCipher(key, pageBytes: size)) }
    for (place, size) in sizes.enumerated() where !sizes[..<place].contains(size) {
      let cipher = try PageCipher(key, pageBytes: size)
      func opens(_ number: UInt32, _ source: Data, _ start: Int) throws -> Bool {
        guard start <= source.count - size else { return false }
        var page = Array(source[source.startIndex + start..<source.startIndex + start + size])
        return try page.withUnsafeMutableBytes { try cipher.open(number, $0) } && page.last == 1
      }
      for (index, start) in stride(from: 0, to: data.count, by: size).enumerated() {
        if try opens(UInt32(clamping: index + 1), data, start) { return (size, cipher) }
      }
      guard let header, header.pageBytes == size else { continue }
      for start in stride(from: LogHeader.bytes, to: log.count, by: size + LogFrame.headerBytes) {
        let frame = log[(log.startIndex + start)...].prefix(LogFrame.headerBytes).withUnsafeBytes { LogFrame($0) }
        // No other number is one of this log.
        guard let frame, frame.salts == header.salts, frame.page > 0, Int(frame.page) <= (data.count + log.count) / size else { continue }
        if try opens(frame.page, log, start + LogFrame.headerBytes) { return (size, cipher) }
      }
    }
    throw StoreError(.wrongKey, "no page of \(path) can be read with this key: it has another one, or all of it is damaged")
  }

  private static func isHeader(_ page: PageBytes) -> Bool { page.bytes.starts(with: Array("SQLite format 3\0".utf8)) }

  /// - Throws: what kept pages from being decrypted that may be sound.
  func check() throws { try cipher?.check() }

  /// Reads a copy of a file and its log, which stay as they are.
  init(copying source: StoreFiles, into folder: WorkingFolder, _ key: StoreKey?) throws {
    guard DurableFile.stands(source.path), !DurableFile.isFolder(source.path), !DurableFile.isSpecial(source.path) else {
      throw DurableFile.noFile(source.path)
    }
    let (copy, log) = (folder.file("damaged"), folder.file("damaged-log"))
    try DurableFile.copy(source.url, to: copy)
    if source.hasLog { try DurableFile.copy(source.log, to: log) }
    try self.init(copy, log: log, guess: 4_096, key, named: source.path)
  }

  /// Whether the log is of an earlier time than the file, also where it has no mark: its first page has had fewer changes. SQLite counts them,
  /// and a log's pages come into the file in their order.
  private func isBehind(_ alone: DamagedFile) -> Bool {
    guard hasHeader, alone.hasHeader, let own = page(1)?.int(24, 4), let file = alone.page(1)?.int(24, 4) else { return false }
    return own < file
  }

  /// Forgets the pages of a log that does not belong to the file.
  private mutating func leaveForeignLog() {
    guard !frames.isEmpty, let line else { return }
    var alone = self
    alone.frames = [:]
    alone.pageCount = (data.count + pageBytes - 1) / pageBytes
    alone.free = alone.freePages()
    guard let own = alone.line, !line.follows(own) || isBehind(alone) else { return }
    (frames, pageCount, free) = ([:], alone.pageCount, alone.free)
    ignoredLog = "the log beside the file is of another store, or of another time of this one, and was not read"
  }

  /// The mark of the log to which this state belongs; nil where it cannot be read.
  private var line: LogLine? {
    guard let root = SalvageSchema(self).root("holdfast_store"), let row = RawPage(root, of: self)?.rows(of: self).rows.first,
      row.values.count >= 4, case .text(let store) = row.values[1], case .text(let mark) = row.values[2]
    else { return nil }
    var line = LogLine(store: store, mark: mark)
    if case .text(let previous) = row.values[3] { line.previous = previous }
    return line
  }

  /// How many pages the log gave.
  var pagesOfLog: Int { frames.count }

  /// The pages that the file or the log has, in their order. A damaged log may claim billions that neither has.
  var numbers: [Int] {
    let inFile = (data.count + pageBytes - 1) / pageBytes
    return Array(0..<min(inFile, pageCount)).map { $0 + 1 } + frames.keys.filter { $0 > inFile && $0 <= pageCount }.sorted()
  }

  /// The pages of the file that SQLite cannot decrypt, and so does not write over; a page of zeros is one of them.
  var undecryptable: [Int] {
    cipher == nil ? [] : numbers.filter { frames[$0] == nil && page($0)?.bytes.contains { $0 != 0 } != true }
  }

  /// No content is longer.
  var bytes: Int { data.count + log.count }

  /// Decrypted; nil behind the end, and for an encrypted page that is not as it was written.
  func page(_ number: Int) -> PageBytes? {
    guard var bytes = bytes(of: number) else { return nil }
    guard let cipher else { return PageBytes(bytes) }
    let isSound = bytes.withUnsafeMutableBytes { cipher.openOrNote(UInt32(clamping: number), $0) }
    return isSound ? PageBytes(bytes) : nil
  }

  /// As they stand in the file or in the log.
  func bytes(of number: Int) -> [UInt8]? {
    guard number >= 1, number <= pageCount else { return nil }
    let (source, start) = frames[number].map { (log, $0) } ?? (data, (number - 1) * pageBytes)
    guard start < source.count else { return nil }
    let content = source[source.startIndex + start..<source.startIndex + min(source.count, start + pageBytes)]
    // The end of a file that was cut off in the middle of a page.
    return Array(content) + Array(repeating: 0, count: pageBytes - content.count)
  }

  /// Writes all pages to a new file that needs no log.
  func copyPages(to url: URL) throws {
    _ = try DurableFile.create(url.path)
    let file = try FileHandle(forWritingTo: url)
    for number in numbers {
      guard var bytes = page(number)?.bytes else { continue }
      // In WAL mode, a file without its log could be taken for one that has lost it.
      if number == 1, hasHeader { (bytes[18], bytes[19]) = (1, 1) }
      try bytes.withUnsafeMutableBytes { try cipher?.seal(UInt32(clamping: number), $0) }
      do {
        // Pages that were free when the log grew are in neither.
        try file.seek(toOffset: UInt64(number - 1) * UInt64(pageBytes))
        try file.write(contentsOf: bytes)
      } catch {
        throw DurableFile.failure(error, url)
      }
    }
  }

  private mutating func readLog(_ header: LogHeader) {
    var (sum, place) = (header.sum, LogHeader.bytes)
    let (length, filePages) = (LogFrame.headerBytes + pageBytes, pageCount)
    var (waiting, highest): ([Int: Int], Int) = ([:], 0)
    while place <= log.count - length {
      let isNext = log[log.startIndex + place..<log.startIndex + place + length].withUnsafeBytes { bytes -> LogFrame? in
        guard let frame = LogFrame(bytes), frame.salts == header.salts, frame.page != 0 else { return nil }
        sum = header.adding(bytes, to: sum)
        return frame.sum == sum ? frame : nil
      }
      guard let frame = isNext else { return }
      waiting[Int(frame.page)] = place + LogFrame.headerBytes
      place += length
      highest = max(highest, Int(frame.page))
      guard frame.databasePages != 0 else { continue }
      frames.merge(waiting) { $1 }
      waiting = [:]
      // No database has more pages than its file and its log hold.
      pageCount = min(Int(frame.databasePages), max(filePages, highest))
    }
  }

  private func freePages() -> Set<Int> {
    guard hasHeader, let first = page(1)?.int(32, 4) else { return [] }
    var (found, trunk): (Set<Int>, Int) = ([], first)
    while trunk > 0, !found.contains(trunk), let page = page(trunk), let count = page.int(4, 4), count <= pageBytes / 4 - 2 {
      found.insert(trunk)
      for place in 0..<count { if let leaf = page.int(8 + place * 4, 4) { found.insert(leaf) } }
      trunk = page.int(0, 4) ?? 0
    }
    return found
  }

  /// The size at which most pages begin as a leaf of a tree does.
  private static func likelySize(_ data: Data, _ guess: Int) -> Int {
    func leaves(_ size: Int) -> Int {
      stride(from: 0, to: min(data.count, 64 << 20), by: size).count { offset in
        let start = PageBytes(Array(data[(data.startIndex + offset)...].prefix(8)))
        guard let kind = start.int(0, 1), [2, 5, 10, 13].contains(kind), let cells = start.int(3, 2), let content = start.int(5, 2) else {
          return false
        }
        return cells > 0 && cells < size / 4 && content >= 8 + cells * 2 && content < size
      } * size
    }
    // At half the size every other page would begin in the middle of one; at twice the size all still begin as pages do.
    let sizes = [guess] + (9...16).map { 1 << $0 }
    let found = sizes.map(leaves)
    let most = found.max() ?? 0
    return zip(sizes, found).first { most > 0 && Double($1) >= 0.6 * Double(most) }?.0 ?? guess
  }
}
