public import Foundation

/// The archive of a store: every commit since it was begun, as far as retention keeps them.
///
/// Reads only, and changes nothing; the store may be open, here or elsewhere, or damaged. Format: `Documentation/ArchiveFormat.md`.
public struct Archive: Sendable {
  let files: StoreFiles
  private let options: StoreOptions
  private var folder: ArchiveFolder { ArchiveFolder(files) }

  /// - Throws: `.notFound` when the store at `url` has no archive.
  public init(of url: URL, options: StoreOptions = .production) throws { try self.init(StoreFiles(url), options) }

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

  /// When `Store.drillArchive()` passed last, in any process; nil when it never did.
  public var lastDrill: Date? { folder.lastDrill }

  /// The time line, oldest first: commits, labels, gaps. Damage ends a generation's entries with a `.gap` that tells it.
  ///
  /// - Parameters:
  ///   - from: leaves out what is older. Nil: nothing.
  ///   - to: leaves out what is newer. Nil: nothing.
  /// - Throws: the errors of reading.
  public func history(from: Date? = nil, to: Date? = nil) throws -> [ArchiveEvent] {
    try steadily(again: true) { try events() }.filter { $0.time >= from ?? $0.time && $0.time <= to ?? $0.time }
  }

  /// Runs `body` again when it met damage, or always with `again`, and retention has changed the archive meanwhile.
  private func steadily<T>(again: Bool = false, _ body: () throws -> T) throws -> T {
    for _ in 0..<5 {
      let before = try folder.generations().map(\.segments)
      do {
        let result = try body()
        if try !again || stillStand(before) { return result }
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
      if generation.bases.isEmpty, !generation.segments.isEmpty {
        events.append(.damage("\(generation.url.path) has no base, so its commits cannot be restored", after: events.last))
      }
      for base in generation.bases {
        do {
          let walk = try ArchiveWalk(generation, before: base)
          let isFirst = base == generation.bases.first
          if isFirst { events.append(ArchiveEvent(walk.base)) }
          var last = ArchivedCommit(walk.base)
          try walk.records(upTo: generation.bases.first { $0 > base } ?? .max) { record in
            switch record {
            case .commit(let commit) where !commit.goesOn:
              last = ArchivedCommit(commit, after: last.time)
              events.append(ArchiveEvent(kind: .commit, time: last.time, commit: last.number, text: "", details: last))
            // A mark at a base's commit stands in the segment before it, and was met there.
            case .label(let mark) where isFirst || mark.commit > base: events.append(ArchiveEvent(.label, mark))
            case .note(let mark) where isFirst || mark.commit > base: events.append(ArchiveEvent(.note, mark))
            default: break
            }
            return true
          }
        } catch let error as StoreError where error.code == .damaged {
          events.append(.damage(error.message, after: events.last))
        }
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

  /// The same, with what the checks found. `check` throws to stop.
  func build(
    _ moment: Moment, at file: URL, check: () throws -> Void = {}
  ) throws -> (commit: ArchivedCommit, findings: [String]) {
    let built = try steadily {
      let (generation, commit) = try find(moment)
      return try ArchiveWalk(generation, before: commit).build(commit, at: file, check: check)
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
    for generation in generations.reversed() {
      let found: Int64?
      switch moment {
      case .commit(let number): found = generation.bases[0] <= number ? number : nil
      case .time(let time): found = try newest(in: generation, at: ArchiveTime.microseconds(time))
      case .label(let text): found = try label(text, in: generation)
      }
      if let found { return (generation, found) }
    }
    if case .label(let text) = moment {
      throw StoreError(.notFound, "the archive of \(files.path) has no label “\(text)”", suggestion: "holdfast history lists the labels.")
    }
    let oldest = try generations.first.map { try ArchiveWalk($0, before: $0.bases[0]).base }
    let since = oldest.map { "commit \($0.commit), \(DateCodec.iso8601($0.timeMicroseconds / 1000, fraction: true))" } ?? "nothing"
    throw StoreError(.notFound, "the archive of \(files.path) does not reach back so far: it begins with \(since)")
  }

  /// The last commit of a generation at or before `time`; nil when all are later.
  private func newest(in generation: ArchiveFolder.Generation, at time: Int64) throws -> Int64? {
    for commit in generation.bases.reversed() {
      let walk = try ArchiveWalk(generation, before: commit)
      guard walk.base.timeMicroseconds <= time else { continue }
      var found = walk.base.commit
      try walk.records { record in
        guard case .commit(let commit) = record, !commit.goesOn else { return true }
        guard commit.time <= time else { return false }
        found = commit.number
        return true
      }
      return found
    }
    return nil
  }

  /// The commit at which the last label with this text stands in a generation; nil when it has none that can be read.
  private func label(_ text: String, in generation: ArchiveFolder.Generation) throws -> Int64? {
    var found: Int64?
    for base in generation.bases {
      // A later base leads past damage.
      do {
        try ArchiveWalk(generation, before: base).records(upTo: generation.bases.first { $0 > base } ?? .max) { record in
          if case .label(let mark) = record, mark.text == text { found = mark.commit }
          return true
        }
      } catch let error as StoreError where error.code == .damaged {}
    }
    return found
  }
}

extension ArchiveEvent {
  init(_ base: ArchiveBase) {
    self.init(
      kind: base.followsGap ? .gap : .base, time: ArchiveTime.date(base.timeMicroseconds), commit: base.commit,
      text: base.followsGap ? base.reason : "the archive begins", gapFrom: base.gapFrom.map(ArchiveTime.date))
  }

  static func damage(_ message: String, after last: ArchiveEvent?) -> ArchiveEvent {
    let time = last?.time ?? Date(timeIntervalSince1970: 0)
    return ArchiveEvent(kind: .gap, time: time, commit: last?.commit ?? 0, text: message, gapFrom: last?.time)
  }

  init(_ kind: Kind, _ mark: ArchiveRecord.Mark) {
    self.init(kind: kind, time: ArchiveTime.date(mark.time), commit: mark.commit, text: mark.text)
  }
}
