import Foundation

/// The files of an archive, by their names. Format: Documentation/ArchiveFormat.md
struct ArchiveFolder: Sendable {
  let url: URL
  let key: StoreKey?

  /// One unbroken row of commits.
  struct Generation: Sendable {
    let number: Int
    let url: URL
    let key: StoreKey?
    /// The commits of its bases that have a description, in order.
    let bases: [Int64]
    /// The first commits of its segments, in order.
    let segments: [Int64]
    /// The commits of descriptions without a base, and of bases before the first whole one that have lost their description.
    var missing: [Int64] = []
    /// The commits of bases without a description.
    var undescribed: [Int64] = []

    func base(_ commit: Int64) -> URL { url.appendingPathComponent(ArchiveFolder.name(commit, "sqlite")) }
    func description(_ commit: Int64) -> URL { url.appendingPathComponent(ArchiveFolder.name(commit, "json")) }
    /// The name of a description whose base retention gives up, and of an empty mark while retention makes a base.
    func removed(_ commit: Int64) -> URL { url.appendingPathComponent(ArchiveFolder.name(commit, "removed")) }
    func segment(_ first: Int64) -> URL { url.appendingPathComponent(ArchiveFolder.name(first, "segment")) }
  }

  /// Without a key, an encrypted archive's names and descriptions can be read.
  init(_ files: StoreFiles, _ key: StoreKey? = nil) { (url, self.key) = (files.archive, key) }

  var exists: Bool { DurableFile.isFolder(url.path) }

  /// In order. Ignores what is no folder, and numbers near the end of the 8 digits: no archive comes so far, and the next would not fit.
  func generations() throws -> [Generation] {
    guard exists else { return [] }
    return try DurableFile.names(in: url).compactMap { name in
      guard let number = Int(name), (1..<90_000_000).contains(number), name == folder(number).lastPathComponent,
        DurableFile.isFolder(folder(number).path)
      else { return nil }
      return try generation(number)
    }.sorted { $0.number < $1.number }
  }

  func generation(_ number: Int) throws -> Generation {
    let names = try DurableFile.names(in: folder(number))
    func numbers(_ suffix: String) -> [Int64] { names.compactMap { Self.commit($0, suffix) }.sorted() }
    let (described, files, givenUp) = (Set(numbers("json")), numbers("sqlite"), Set(numbers("removed")))
    let (bases, segments) = (files.filter(described.contains), numbers("segment"))
    // A killed process leaves later ones without a description, and a first one without segments.
    let undescribed = files.filter { !described.contains($0) && !givenUp.contains($0) }
    return Generation(
      number: number, url: folder(number), key: key, bases: bases, segments: segments,
      missing: (described.subtracting(files) + undescribed.filter { $0 < bases.first ?? segments.last ?? 0 }).sorted(),
      undescribed: undescribed)
  }

  /// The first base of each generation that can be read: where the archive begins, and what follows each gap.
  func firstBases() throws -> [ArchiveBase] {
    try generations().compactMap { generation -> ArchiveBase? in
      // Not by a lazy sequence: it reads twice, and traps when the second reading fails.
      for commit in generation.bases { if let base = try? ArchiveBase.read(generation.description(commit)) { return base } }
      return nil
    }
  }

  func folder(_ generation: Int) -> URL { url.appendingPathComponent(String(generation).padded(8)) }

  /// The id of the store whose archive it is, as its newest base tells; nil where none does.
  func owner() -> String? {
    for generation in ((try? generations()) ?? []).reversed() {
      for commit in generation.bases.reversed() {
        let described = (try? ArchiveBase.read(generation.description(commit)))?.store
        // Descriptions of earlier versions do not say it.
        if let owner = described ?? StoreFiles.id(in: generation.base(commit), key) { return owner }
      }
    }
    return nil
  }

  /// A number above those of all commits, also where the newest cannot be read. Ignores names near the end of the 16 digits, as above.
  func numberBehindAll() throws -> Int64 {
    let numbers: [Int64] = try generations().flatMap { $0.bases + $0.missing + $0.segments }
    let highest = numbers.filter { $0 < 9_000_000_000_000_000 }.max() ?? 0
    return highest / 1_000_000 * 1_000_000 + 1_000_000
  }

  /// Whether no file tells of a commit after this one.
  func ends(with commit: Int64) throws -> Bool {
    // A segment with the next name may hold no commit yet.
    try generations().allSatisfy { ($0.bases + $0.missing).allSatisfy { $0 <= commit } && $0.segments.allSatisfy { $0 <= commit + 1 } }
  }

  /// A file that only takes room, until the disk is full.
  var ballast: URL { url.appendingPathComponent("ballast") }

  /// All bytes in it, without the ballast, which gives way by itself.
  func bytes() -> Int64 {
    let found = FileManager.default.enumerator(atPath: url.path)
    var sum: Int64 = 0
    while let name = found?.nextObject() as? String {
      let path = url.appendingPathComponent(name).path
      if path != ballast.path, !DurableFile.isFolder(path) { sum += DurableFile.size(path) }
    }
    return sum
  }

  /// A text that says which rewind or restore has replaced the file of the closed store. The next opening that archives removes it.
  var replaced: URL { url.appendingPathComponent("replaced") }

  /// Why there is a gap. Where a rewind or a restore has replaced the file, names that.
  func text(of gap: ArchiveGap) -> String {
    guard [.fileDiffers, .pageSizeChanged].contains(gap) else { return gap.rawValue }
    // Read without SQLite: the reasons, times and bases of an archive, which are text.
    return (try? DurableFile.content(of: replaced)).map { String(decoding: $0, as: UTF8.self) } ?? gap.rawValue
  }

  /// A new name for a label that a process asks the archiving one for. The file holds the label's record, and is removed when it was written.
  func newRequest() -> URL { url.appendingPathComponent("\(UUID().uuidString).request") }

  func requests() -> [URL] {
    ((try? DurableFile.names(in: url)) ?? []).filter { $0.hasSuffix(".request") }.map { url.appendingPathComponent($0) }
  }

  /// The trusted time, where the last commit's time does not tell it.
  var clock: URL { url.appendingPathComponent("clock") }

  private var drilled: URL { url.appendingPathComponent("drilled") }

  var lastDrill: Date? {
    let text = (try? DurableFile.content(of: drilled)).flatMap { String(validUTF8: $0) }
    return text.flatMap { DateCodec.parseISO8601($0) }.flatMap { DateCodec.date(milliseconds: $0) }
  }

  func notePassedDrill(at time: Date) throws {
    try DurableFile.replace(drilled, with: Data(DateCodec.iso8601(DateCodec.milliseconds(time) ?? 0, fraction: true).utf8))
  }

  func forgetDrill() throws { for left in [drilled, replaced] { _ = try DurableFile.remove(left) } }

  static func name(_ commit: Int64, _ suffix: String) -> String { "\(String(commit).padded(16)).\(suffix)" }

  private static func commit(_ name: String, _ suffix: String) -> Int64? {
    Int64(name.prefix(16)).flatMap { $0 >= 0 && name == self.name($0, suffix) ? $0 : nil }
  }
}

extension String {
  /// These digits, with zeros before them.
  fileprivate func padded(_ width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}

extension ArchiveFolder.Generation {
  /// The descriptions of its bases, in order. Calls `damaged` for each that cannot be read, and for each base that is missing.
  func descriptions(_ damaged: (StoreError) -> Void = { _ in }) throws -> [ArchiveBase] {
    for commit in missing { damaged(StoreError(.damaged, "\(base(commit).path), a base of the archive, or its description is missing")) }
    if bases.isEmpty, !segments.isEmpty { damaged(withoutBase) }
    return try bases.compactMap { commit -> ArchiveBase? in
      do {
        return try ArchiveBase.read(description(commit))
      } catch let error as StoreError where error.code == .damaged {
        damaged(error)
        return nil
      }
    }
  }

  var withoutBase: StoreError {
    StoreError(
      .damaged, "\(url.path) has no base, so its commits cannot be restored", suggestion: "Restore a commit before it, or after it.")
  }
}

/// A base's description.
struct ArchiveBase: Codable, Equatable, Sendable {
  var format = 1
  var commit: Int64
  var timeMicroseconds: Int64
  var pageBytes: Int
  var pages: UInt32 = 0
  /// 16 lowercase hexadecimal digits.
  var state = ""
  var reason: String
  /// The id of the store; nil in descriptions of earlier versions.
  var store: String?
  /// After a gap: the time of the last commit before it.
  var gapFrom: Int64?
  /// Where the base ends in SQLite's log, if the log was not empty. Only for the writer.
  var logSalts: UInt64 = 0
  var logFrames: UInt32 = 0

  enum CodingKeys: String, CodingKey {
    case format, commit, pages, state, reason, store
    case logSalts = "log_salts"
    case logFrames = "log_frames"
    case timeMicroseconds = "time_us"
    case pageBytes = "page_bytes"
    case gapFrom = "gap_from_us"
  }

  static let first = "first"
  static let regular = "regular"
  /// Whether commits before this base may be missing.
  var followsGap: Bool { reason != Self.first && reason != Self.regular }

  var stateNumber: UInt64 { UInt64(state, radix: 16) ?? 0 }
  var place: LogPlace { .init(salts: logSalts, frames: logFrames) }

  static func digits(_ state: UInt64) -> String { String(state, radix: 16).padded(16) }

  static func read(_ url: URL) throws -> ArchiveBase {
    let lines = try DurableFile.content(of: url).split(separator: UInt8(ascii: "\n"))
    guard lines.count == 2, lines[1] == Self.sum(lines[0]), let base = try? JSONDecoder().decode(ArchiveBase.self, from: lines[0]),
      base.format == 1, base.state == digits(base.stateNumber), base.pages > 0, base.pageBytes.isPageSize,
      ArchiveRecord.isSane(base.commit, base.timeMicroseconds), ArchiveRecord.isSane(0, base.gapFrom ?? 0),
      url.lastPathComponent == ArchiveFolder.name(base.commit, "json")
    else {
      throw StoreError(
        .damaged, "\(url.path), which describes a base of the archive, is damaged", suggestion: ArchiveWalk.suggestionWithoutBase)
    }
    return base
  }

  private static func sum(_ line: Data) -> Data { Data(String(ArchiveRecord.checksum(line), radix: 16).padded(8).utf8) }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let line = try encoder.encode(self)
    return line + Data("\n".utf8) + Self.sum(line) + Data("\n".utf8)
  }
}

struct SegmentHeader: Equatable, Sendable {
  static let bytes = 48
  private static let magic = Data("HOLDFSEG".utf8)

  var pageBytes: Int
  var first: Int64
  var stateBefore: UInt64
  var generation: Int
  /// The first 16 digits of the id of the store; 0 in segments of earlier versions.
  var store: UInt64 = 0

  var encoded: Data {
    var data = Self.magic
    data.add(UInt32(1))
    data.add(UInt32(clamping: pageBytes))
    data.add(first)
    data.add(stateBefore)
    data.add(UInt32(clamping: generation))
    data.add(store)
    data.add(ArchiveRecord.checksum(data))
    return data
  }
}

extension SegmentHeader {
  /// Nil where it is damaged or of a later format.
  init?(_ data: Data) {
    var bytes = ArchiveBytes(data)
    guard data.count >= Self.bytes, bytes.take(8) == Self.magic, bytes.number(UInt32.self) == 1, let pageBytes = bytes.number(UInt32.self),
      let first = bytes.number(Int64.self), let state = bytes.number(UInt64.self), let generation = bytes.number(UInt32.self),
      let store = bytes.number(UInt64.self), bytes.number(UInt32.self) == ArchiveRecord.checksum(data.prefix(44)),
      Int(pageBytes).isPageSize
    else { return nil }
    self.init(pageBytes: Int(pageBytes), first: first, stateBefore: state, generation: Int(generation), store: store)
  }
}
