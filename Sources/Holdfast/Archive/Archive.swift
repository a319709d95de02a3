public import Foundation

/// The archive of a store: every commit since it was begun, as far as retention keeps them.
///
/// Reads only, and changes nothing; the store may be open, here or elsewhere, or damaged. Format: `Documentation/ArchiveFormat.md`.
public struct Archive: Sendable {
  let files: StoreFiles
  private let options: StoreOptions
  private var folder: ArchiveFolder { ArchiveFolder(files) }

  /// - Throws: `.notFound` when the store at `url` has no archive.
  public init(of url: URL, options: StoreOptions = .production) throws {
    try self.init(StoreFiles(url), options)
  }

  init(_ files: StoreFiles, _ options: StoreOptions) throws {
    (self.files, self.options) = (files, options)
    guard folder.exists else {
      throw StoreError(
        .notFound, "\(files.path) has no archive",
        suggestion: "Open the store with `options.archive.mode = .begins`; earlier states are not kept.")
    }
  }

  /// The size of the archive in bytes.
  public var bytes: Int64 { folder.bytes() }

  /// The time line, oldest first: commits, labels, gaps. Damage ends a generation's entries with a `.gap` that tells it.
  ///
  /// - Parameters:
  ///   - from: leaves out what is older. Nil: nothing.
  ///   - to: leaves out what is newer. Nil: nothing.
  /// - Throws: the errors of reading.
  public func history(from: Date? = nil, to: Date? = nil) throws -> [ArchiveEvent] {
    try steadily(again: true) { try events() }.filter { event in
      from.map { event.time >= $0 } ?? true && to.map { event.time <= $0 } ?? true
    }
  }

  /// Runs `body` again when it met damage, and retention has changed the archive meanwhile.
  ///
  /// - Parameter again: also when it met none.
  private func steadily<T>(again: Bool = false, _ body: () throws -> T) throws -> T {
    for _ in 0..<5 {
      let before = try folder.generations().map(\.segments)
      do {
        let result = try body()
        if !again { return result }
        if try stillStand(before) { return result }
      } catch let error as StoreError where error.code == .damaged {
        if try stillStand(before) { throw error }
      }
    }
    return try body()
  }

  /// Whether all these segments still stand; new ones may have been added.
  private func stillStand(_ segments: [[Int64]]) throws -> Bool {
    let now = try folder.generations().map(\.segments)
    return now.count >= segments.count && zip(now, segments).allSatisfy { now, before in Set(before).isSubset(of: now) }
  }

  private func events() throws -> [ArchiveEvent] {
    var events: [ArchiveEvent] = []
    for generation in try folder.generations() {
      do {
        guard let first = generation.bases.first else {
          if generation.segments.isEmpty { continue }
          throw StoreError(.damaged, "\(generation.url.path) has no base, so its commits cannot be had back")
        }
        let walk = try ArchiveWalk(generation, before: first)
        events.append(ArchiveEvent(walk.base))
        var last = ArchivedCommit(walk.base)
        try walk.records { record in
          switch record {
          case .commit(let commit) where !commit.goesOn:
            last = ArchivedCommit(commit, after: last.time)
            events.append(ArchiveEvent(kind: .commit, time: last.time, commit: last.number, text: "", details: last))
          case .label(let mark): events.append(ArchiveEvent(.label, mark))
          case .note(let mark): events.append(ArchiveEvent(.note, mark))
          default: break
          }
          return true
        }
      } catch let error as StoreError where error.code == .damaged {
        let end = events.last
        events.append(
          ArchiveEvent(
            kind: .gap, time: end?.time ?? Date(timeIntervalSince1970: 0), commit: end?.commit ?? 0, text: error.message, gapFrom: end?.time
          ))
      }
    }
    return events
  }

  /// Builds the store of a moment as a file of its own, at `file`, which must not exist, and verifies it: the checksum after each commit, SQLite's
  /// integrity check, foreign keys. Any SQLite can read the file.
  ///
  /// - Throws: `.notFound` when the archive does not reach back so far, or has no such label; `.damaged` with the nearest proven commit;
  ///   `.verificationFailed`; `.diskFull`, `.cannotCreate`. No file is left then.
  @discardableResult
  public func restore(to moment: Moment, at file: URL) throws -> ArchivedCommit {
    try files.checkIsNotOwn(file)
    let (built, findings) = try build(moment, at: file)
    guard let first = findings.first else { return built }
    _ = try? DurableFile.remove(file)
    throw StoreError(.verificationFailed, "commit \(built.number) of the archive is not sound: \(first)")
  }

  /// The same, with what the checks found.
  func build(_ moment: Moment, at file: URL) throws -> (commit: ArchivedCommit, findings: [String]) {
    let built = try steadily {
      let (generation, commit) = try find(moment)
      return try ArchiveBuilder(walk: ArchiveWalk(generation, before: commit)).build(commit, at: file)
    }
    do {
      let connection = try ConnectionFactory(file.path, options).working()
      try Snapshot.makeStandAlone(connection, file, options)
      return (built, try Snapshot.examine(connection).findings)
    } catch {
      for suffix in StoreFiles.all { _ = try? DurableFile.remove(URL(fileURLWithPath: file.path + suffix)) }
      throw error
    }
  }

  private func find(_ moment: Moment) throws -> (ArchiveFolder.Generation, Int64) {
    let generations = try folder.generations().filter { !$0.bases.isEmpty }
    switch moment {
    case .commit(let number):
      if let generation = generations.last(where: { $0.bases.first.map { $0 <= number } ?? false }) { return (generation, number) }
    case .time(let time):
      let time = ArchiveTime.microseconds(time)
      for generation in generations.reversed() {
        if let commit = try newest(in: generation, where: { $0 <= time }) { return (generation, commit) }
      }
    case .label(let text):
      for generation in generations.reversed() {
        var found: Int64?
        try walkProven(generation) { record in
          if case .label(let mark) = record, mark.text == text { found = mark.commit }
          return true
        }
        if let found { return (generation, found) }
      }
      throw StoreError(.notFound, "the archive of \(files.path) has no label “\(text)”", suggestion: "holdfast history lists the labels.")
    }
    let oldest = try generations.first.map { try ArchiveWalk($0, before: $0.bases[0]).base }
    let since = oldest.map { "commit \($0.commit), \(DateCodec.iso8601($0.timeMicroseconds / 1000, fraction: true))" } ?? "nothing"
    throw StoreError(.notFound, "the archive of \(files.path) does not reach back so far: it begins with \(since)")
  }

  /// The last commit of a generation whose time `isIn` accepts; nil when not even the base's is.
  private func newest(in generation: ArchiveFolder.Generation, where isIn: (Int64) -> Bool) throws -> Int64? {
    guard let first = generation.bases.first else { return nil }
    let base = try ArchiveBase.read(generation.description(first))
    guard isIn(base.timeMicroseconds) else { return nil }
    var found = base.commit
    try walkProven(generation) { record in
      guard case .commit(let commit) = record, !commit.goesOn else { return true }
      guard isIn(commit.time) else { return false }
      found = commit.number
      return true
    }
    return found
  }

  /// Walks a generation from its first base on, up to where it is damaged.
  private func walkProven(_ generation: ArchiveFolder.Generation, _ body: (ArchiveRecord) throws -> Bool) throws {
    guard let first = generation.bases.first else { return }
    do {
      try ArchiveWalk(generation, before: first).records(body)
    } catch let error as StoreError where error.code == .damaged {
      return
    }
  }
}

extension ArchiveEvent {
  init(_ base: ArchiveBase) {
    self.init(
      kind: base.followsGap ? .gap : .base, time: ArchiveTime.date(base.timeMicroseconds), commit: base.commit,
      text: base.followsGap ? base.reason : "the archive begins", gapFrom: base.gapFrom.map(ArchiveTime.date))
  }

  init(_ kind: Kind, _ mark: ArchiveRecord.Mark) {
    self.init(kind: kind, time: ArchiveTime.date(mark.time), commit: mark.commit, text: mark.text)
  }
}
