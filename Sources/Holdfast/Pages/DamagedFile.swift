import Foundation

/// The pages of a damaged database, with those of its log up to the last commit that the log's checksums prove. Reads without SQLite.
struct DamagedFile {
  private let data: Data
  private let log: LogFile
  private let key: StoreKey?
  private let cipher: PageCipher?
  /// The frame of each page's newest content in the log.
  private var frames: [Int: UInt32] = [:]
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
    // Opened without DurableFile: a private copy of a damaged file.
    data = try DurableFile.naming(file) { try DurableFile.size(file.path) > 0 ? Data(contentsOf: file, options: .alwaysMapped) : Data() }
    (log, self.key) = (LogFile(logFile), key)
    let (header, logHeader) = (DatabaseHeader(data), try log.header())
    let isPlain = header.isPlain && header.pageBytes != nil
    if let key {
      // The bytes that tell the size may be damaged.
      let sizes = [header.pageBytes, logHeader?.pageBytes, guess].compactMap { $0 } + (10...16).map { 1 << $0 }
      (pageBytes, cipher) = try Self.opening(data, log, logHeader, sizes.filter { $0 >= 1_024 }, key, path ?? file.path)
    } else {
      pageBytes = (isPlain ? header.pageBytes : nil) ?? logHeader?.pageBytes ?? Self.likelySize(data, guess)
      cipher = nil
    }
    let reserved = key == nil ? isPlain ? header.reservedBytes : 0 : PageCipher.proofBytes
    usableBytes = pageBytes - reserved >= 480 ? pageBytes - reserved : pageBytes
    pageCount = (data.count + pageBytes - 1) / pageBytes
    hasHeader = isPlain
    if let logHeader, logHeader.pageBytes == pageBytes { try readLog(logHeader) }
    if cipher != nil { hasHeader = firstPage?.isPlain ?? false }
    free = freePages()
    leaveForeignLog()
    try check()
  }

  /// The first size of a page at which a page of the file, or of the log, can be decrypted.
  private static func opening(
    _ data: Data, _ log: LogFile, _ header: LogHeader?, _ sizes: [Int], _ key: StoreKey, _ path: String
  ) throws -> (Int, PageCipher) {
    if let size = sizes.first, data.isEmpty, log.size == 0 { return (size, try PageCipher(key, pageBytes: size)) }
    for (place, size) in sizes.enumerated() where !sizes[..<place].contains(size) {
      let cipher = try PageCipher(key, pageBytes: size)
      func opens(_ number: UInt32, _ bytes: some Collection<UInt8>) throws -> Bool {
        var page = Array(bytes)
        return try page.count == size && page.withUnsafeMutableBytes { try cipher.open(number, $0) } && page.last == 1
      }
      for (index, start) in stride(from: 0, to: data.count, by: size).enumerated() {
        if try opens(UInt32(clamping: index + 1), data[(data.startIndex + start)...].prefix(size)) { return (size, cipher) }
      }
      guard let header, header.pageBytes == size else { continue }
      var isOpened = false
      try log.frames(after: 0, size) { _, bytes in
        // No other number is one of this log.
        guard let frame = LogFrame(bytes), frame.salts == header.salts, frame.page > 0,
          Int(frame.page) <= (data.count + Int(log.size)) / size
        else { return true }
        isOpened = try opens(frame.page, bytes[LogFrame.headerBytes...])
        return !isOpened
      }
      if isOpened { return (size, cipher) }
    }
    throw StoreError(.wrongKey, "no page of \(path) can be read with this key: it has another one, or all of it is damaged")
  }

  private var firstPage: DatabaseHeader? { page(1).map { DatabaseHeader($0.bytes) } }

  /// - Throws: what kept pages from being decrypted that may be sound.
  func check() throws { try cipher?.check() }

  /// Reads a copy of a file and its log, which stay as they are.
  init(copying source: StoreFiles, into folder: WorkingFolder, _ key: StoreKey?) throws {
    guard DurableFile.isFile(source.path) else { throw DurableFile.noFile(source.path) }
    let copy = StoreFiles(real: folder.file("damaged"))
    try DurableFile.copy(source.url, to: copy.url)
    if source.hasLog { try DurableFile.copy(source.log, to: copy.log) }
    let words = try copy.leaveForeignLog(.production(key), named: source)
    try self.init(copy.url, log: copy.log, guess: 4_096, key, named: source.path)
    ignoredLog = words ?? ignoredLog
  }

  /// Forgets the pages of a log that does not belong to the file.
  private mutating func leaveForeignLog() {
    guard !frames.isEmpty else { return }
    var alone = self
    alone.frames = [:]
    alone.pageCount = (data.count + pageBytes - 1) / pageBytes
    alone.free = alone.freePages()
    guard let reason = origin.foreignness(to: alone.origin) else { return }
    (frames, pageCount, free) = ([:], alone.pageCount, alone.free)
    ignoredLog = "the log beside the file was not read: \(reason)"
  }

  private var origin: LogOrigin { LogOrigin(line: line, changes: hasHeader ? firstPage?.changes : nil) }

  /// The mark of the log to which this state belongs; nil where it cannot be read.
  var line: LogLine? {
    guard let root = SalvageSchema(self).root("holdfast_store"), let row = RawPage(root, of: self)?.rows(of: self).rows.first,
      row.values.count >= 4, case .text(let store) = row.values[1], case .text(let mark) = row.values[2]
    else { return nil }
    var line = LogLine(store: store, mark: mark)
    if case .text(let previous) = row.values[3] { line.previous = previous }
    return line
  }

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
  var bytes: Int { data.count + Int(log.size) }

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
    if let frame = frames[number] {
      var page = [UInt8](repeating: 0, count: pageBytes)
      return page.withUnsafeMutableBytes { log.page(inFrame: frame, into: $0) } ? page : nil
    }
    let start = (number - 1) * pageBytes
    guard start < data.count else { return nil }
    let content = data[data.startIndex + start..<data.startIndex + min(data.count, start + pageBytes)]
    // The end of a file that was cut off in the middle of a page.
    return Array(content) + Array(repeating: 0, count: pageBytes - content.count)
  }

  /// Writes all pages to a new file that needs no log.
  func copyPages(to url: URL) throws {
    _ = try DurableFile.create(url.path)
    let file = try PageFile(url, PageHashes(pageBytes: pageBytes), key)
    for number in numbers {
      guard var bytes = page(number)?.bytes else { continue }
      // In WAL mode, a file without its log could be taken for one that has lost it.
      if number == 1, hasHeader { (bytes[18], bytes[19]) = (1, 1) }
      // Pages that were free when the log grew are in neither.
      try bytes.withUnsafeMutableBytes { _ = try file.write(UInt32(clamping: number), $0) }
    }
  }

  private mutating func readLog(_ header: LogHeader) throws {
    let filePages = pageCount
    var highest = 0
    _ = try log.transactions(of: header, after: header.beginning) { transaction in
      for (page, frame) in transaction.frames {
        frames[Int(page)] = frame
        highest = max(highest, Int(page))
      }
      // No database has more pages than its file and its log hold.
      pageCount = min(Int(transaction.pages), max(filePages, highest))
    }
  }

  private func freePages() -> Set<Int> {
    guard hasHeader, let first = firstPage?.freeList else { return [] }
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
