import Foundation

extension Archive {
  /// Reads and proves the whole archive: each base by its checksum, each segment, and the state after each commit. Changes nothing.
  ///
  /// Where a base is damaged, the base before it is tried for its commits. Takes about as long as restoring each part of the archive: copies
  /// every base to the temporary folder, one at a time, and applies every commit. Needs free space there for one copy of the store. The store
  /// may be open, here or elsewhere, damaged or gone.
  ///
  /// The last record of the archive, if it is not whole, is no finding: a killed process leaves such a record, and the store's log has its commit.
  ///
  /// - Parameter isCancelled: called before each commit; true ends the work with `.cancelled`. Default: whether the task is cancelled.
  /// - Returns: one finding of the part `.files` for each damage, oldest first.
  /// - Throws: `.cancelled`, `.diskFull` and the errors of reading. Damage is a finding.
  public func verify(isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }) throws -> IntegrityReport {
    let findings = try steadily(again: true) {
      var proof = ArchiveProof(path: files.path, isCancelled: isCancelled)
      let generations = try folder.generations()
      for generation in generations.reversed() { try proof.prove(generation) }
      return proof.findings + (generations.contains { !$0.bases.isEmpty } ? [] : [ArchiveGap.baseMissing.rawValue])
    }
    return IntegrityReport(findings: findings.map { .init(part: .files, message: $0) }, checked: [.files])
  }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public func verify() async throws -> IntegrityReport {
    try await offTask { isCancelled in try self.verify(isCancelled: isCancelled) }
  }
}

/// Proves generations, the newest first, and the parts of each, the newest first: where a base is damaged, the base before it leads through.
private struct ArchiveProof {
  let path: String
  let isCancelled: () -> Bool
  private(set) var findings: [String] = []
  /// The time of the last commit before the next generation, as the base there has it.
  private(set) var gapFrom: Int64?

  mutating func prove(_ generation: ArchiveFolder.Generation) throws {
    var damages: [String] = []
    let bases = try generation.descriptions { damages.append($0.message) }
    var next: ArchiveBase?
    for base in bases.reversed() {
      do {
        let last = try lastProven(from: base, to: next, in: generation)
        if next == nil, let gapFrom, last.time < gapFrom { find("the archive lacks commits after commit \(last.commit)") }
        next = base
      } catch let failure as Unproven {
        find(failure.message)
        if failure.hasBase { next = base }
      }
    }
    for message in damages.reversed() { find(message) }
    gapFrom = bases.first?.gapFrom
  }

  private struct Unproven: Error {
    var message: String
    /// Whether the base itself is sound.
    var hasBase: Bool
  }

  /// Proves a base and the commits up to the next sound base, or to the end.
  private func lastProven(
    from base: ArchiveBase, to next: ArchiveBase?, in generation: ArchiveFolder.Generation
  ) throws -> (commit: Int64, time: Int64) {
    let folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "proving")
    defer { withExtendedLifetime(folder) {} }
    let walk = ArchiveWalk(generation, from: base)
    let replay: ArchiveReplay
    do {
      try goOn()
      replay = try ArchiveReplay(walk, at: folder.file("proven.sqlite"))
    } catch let error as StoreError where error.code == .damaged {
      throw Unproven(message: error.message, hasBase: false)
    }
    do {
      try walk.records(upTo: next?.commit ?? .max) { record in
        guard case .commit(let part) = record else { return true }
        try goOn()
        try replay.apply(part)
        return part.goesOn || part.number != next?.commit
      }
    } catch let error as StoreError where error.code == .damaged {
      throw Unproven(message: error.message, hasBase: true)
    }
    if let next, replay.commit.number != next.commit || replay.hashes.state != next.stateNumber {
      throw Unproven(message: "the commits after \(replay.commit.number) do not lead to the base of commit \(next.commit)", hasBase: true)
    }
    return (replay.commit.number, replay.time)
  }

  private func goOn() throws {
    if isCancelled() { throw StoreError(.cancelled, "verifying the archive of \(path) was cancelled") }
  }

  private mutating func find(_ message: String) {
    // Damage at a base's commit is met twice.
    if !findings.contains(message) { findings.insert(message, at: 0) }
  }
}
