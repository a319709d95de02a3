import Foundation
import Holdfast

/// Whether an archive has what the store had: looks before the store is opened, and again after.
struct ArchiveVerdict: Findings {
  var findings: [Finding] = []
  private let judged: Case
  private let reading: ArchiveReading
  private var moments: [ToldMoment] = []
  /// The commits that the archive gave back as they were told, before the store was opened.
  private var whole: Set<Int64> = []

  /// The commits at which the prepared archive has a gap.
  private let knownGaps: Set<Int64>

  /// - Parameter key: of the store; nil: it is plain.
  init(_ judged: Case, _ key: StoreKey?) {
    self.judged = judged
    reading = ArchiveReading(folder: judged.folder, key: key)
    var random = Chance(judged.seed &+ UInt64(judged.acks.count))
    let prepared = Housekeeping.told(URL(fileURLWithPath: judged.folder))
    knownGaps = Set(prepared.compactMap { $0.hasPrefix("gap ") ? Int64($0.dropFirst(4)) : nil })
    // Where the key is changed, `FormerArchives` judges what was told.
    let told = judged.workload.changesKey ? [] : ToldMoment.all(in: prepared + ["retains"] + judged.acks)
    // How many are restored. Of these some may be gone.
    let most = judged.workload == .housekeeping ? 6 : 3
    moments = Array(told.dropLast().shuffled(using: &random).prefix(most - 1)) + told.suffix(1)
    for moment in moments where isWhole(moment, isBefore: true) { whole.insert(moment.commit) }
  }

  /// The judge's clock stands behind all clocks of the attacked.
  static func archive(_ options: inout StoreOptions) {
    options.archives()
    options.now = { Date(timeIntervalSince1970: 2_100_000_000) }
  }

  /// Call before the store is closed.
  mutating func settle(_ store: Store) throws {
    do { _ = try store.archive() } catch { find("archive-stopped", Verdict.text(error)) }
    guard let status = try store.archiveStatus() else { return find("archive-stopped", "the store is not archived") }
    if !status.isWriting || status.waitingCommits > 0 || status.problem != nil {
      find("archive-stopped", "\(status.waitingCommits) commits wait; \(status.problem ?? "no problem is told")")
    }
  }

  mutating func judge(live: Oracle) {
    switch reading.restored(.time(.distantFuture)) {
    case .failure(let error): find("archive-lost", "the newest commit: \(Verdict.text(error))")
    case .success(let newest):
      if newest.content != live.content || newest.batches != live.batches {
        find("archive-wrong", "commit \(newest.commit) is the newest, and has \(newest.batches) batches; the store has \(live.batches)")
      }
    }
    let history: [ArchiveEvent]
    switch reading.history() {
    case .failure(let error): return find("archive-lost", "the history: \(Verdict.text(error))")
    case .success(let events): history = events
    }
    if let disorder = ArchiveReading.disorder(history) { find("archive-order", disorder) }
    let gaps = history.filter { $0.kind == .gap && !knownGaps.contains($0.commit) && !isGivenUp($0) }
    // A store that was replaced is another file.
    if judged.isOnlyKilled, judged.workload != .restoreReplacing, let gap = gaps.first { find("archive-gap", gap.text) }
    for moment in moments {
      if isGone(moment, history) { continue }
      let isPromised = judged.isPromised || whole.contains(moment.commit)
      if !isWhole(moment), isPromised { find("archive-lost", "commit \(moment.commit) is not restored; gaps: \(gaps.map(\.text))") }
      // The worker reports a label only after the label was flushed. A label at the oldest base goes with the part before that base.
      if let label = moment.label, !(moment.mayGo && moment.commit == oldest(history)) { judge(label, of: moment) }
      guard isPromised else { continue }
      judge(moment.time, of: moment, history)
      if let wall = moment.wall { judge(wall, of: moment, history, isExact: false) }
    }
  }

  /// Whether retention may have merged or removed the commit, and has: then the history tells no such commit. A commit with a label is never
  /// merged.
  private func isGone(_ moment: ToldMoment, _ history: [ArchiveEvent]) -> Bool {
    guard moment.mayGo, moment.label == nil || moment.commit < oldest(history) else { return false }
    return !history.contains { $0.kind != .note && $0.commit == moment.commit }
  }

  private func oldest(_ history: [ArchiveEvent]) -> Int64 {
    history.first { $0.kind == .base || $0.kind == .gap && !isGivenUp($0) }?.commit ?? 0
  }

  /// Whether it is what is left of a generation whose removal was stopped. The next run of retention removes the rest.
  private func isGivenUp(_ event: ArchiveEvent) -> Bool {
    judged.workload == .housekeeping && event.text.hasSuffix("has no base, so its commits cannot be restored")
  }

  /// Whether the commit is restored. Another state under its number is wrong, whatever happened.
  private mutating func isWhole(_ moment: ToldMoment, isBefore: Bool = false) -> Bool {
    guard case .success(let state) = reading.restored(.commit(moment.commit)) else { return false }
    for problem in state.problems { find("archive-wrong", "commit \(state.commit): \(problem)") }
    guard state.commit == moment.commit else { return false }
    guard state.content != moment.content else { return true }
    // After power loss the next opening gives the numbers of lost commits again.
    if isBefore || judged.isPromised || whole.contains(moment.commit) {
      find("archive-wrong", "commit \(moment.commit) has another content, \(state.batches) batches")
    }
    return false
  }

  private mutating func judge(_ label: String, of moment: ToldMoment) {
    switch reading.restored(.label(label)) {
    case .failure(let error):
      // After power loss damage behind the label may hide a later one with its text; the advice then names the commit, until the store is
      // opened again.
      let advice = (error as? StoreError)?.suggestion ?? ""
      if judged.isOnlyKilled || !advice.contains("at commit \(moment.commit).") || !isWhole(moment) {
        find("archive-lost", "the label “\(label)”: \(Verdict.text(error))")
      }
    case .success(let state):
      if state.commit != moment.commit || state.content != moment.content {
        find("archive-wrong", "the label “\(label)” leads to commit \(state.commit)")
      }
    }
  }

  private mutating func judge(_ seconds: Double, of moment: ToldMoment, _ history: [ArchiveEvent], isExact: Bool = true) {
    let time = Date(timeIntervalSinceReferenceDate: seconds)
    switch reading.restored(.time(time)) {
    case .failure(let error):
      // After power loss damage behind the commit may hide later ones, made before that time.
      let advice = (error as? StoreError)?.suggestion ?? ""
      if judged.isOnlyKilled || isExact || !advice.contains("Restore commit \(moment.commit) ") {
        find("archive-lost", "\(isExact ? "the" : "a") time of commit \(moment.commit): \(Verdict.text(error))")
      }
    case .success(let state):
      if state.commit == moment.commit { return }
      // A commit whose exact time was lost counts from its latest possible time on, and says so.
      let next = history.first { $0.kind == .commit && $0.commit > state.commit }
      let isUncertain = next?.details?.earliest.map { $0 <= time } ?? false
      if state.commit > moment.commit || !isUncertain {
        find("archive-wrong", "the time of commit \(moment.commit) leads to commit \(state.commit)")
      }
    }
  }
}

/// Has states of an archive back, and reads them by SQLite alone.
struct ArchiveReading {
  /// The folder with the store.
  var folder: String
  var key = Keys.key

  private var options: StoreOptions {
    var options = StoreOptions.production
    options.key = key
    return options
  }

  struct State {
    var commit: Int64
    var batches: Int
    var content: Int64
    var problems: [String]
  }

  private var store: URL { Workload.store(URL(fileURLWithPath: folder)) }

  func restored(_ moment: Moment) -> Result<State, any Error> {
    Result {
      let file = URL(fileURLWithPath: folder + ".restored")
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(file.path + suffix) }
      defer { unlink(file.path) }
      let commit = try Archive(of: store, options: options).restore(to: moment, at: file)
      let raw = Oracle(file.path, readOnly: true, key: key)
      return State(commit: commit.number, batches: raw.batches, content: raw.content, problems: raw.problems)
    }
  }

  func history() -> Result<[ArchiveEvent], any Error> { Result { try Archive(of: store, options: options).history() } }

  func verified() -> Result<IntegrityReport, any Error> { Result { try Archive(of: store, options: options).verify() } }

  /// Where numbers or times do not grow from commit to commit; nil when they do.
  static func disorder(_ history: [ArchiveEvent]) -> String? {
    let commits = history.filter { $0.kind == .commit || $0.kind == .base }
    for (earlier, later) in zip(commits, commits.dropFirst()) where earlier.commit >= later.commit || earlier.time >= later.time {
      return "commit \(later.commit) of \(later.time) follows commit \(earlier.commit) of \(earlier.time)"
    }
    return nil
  }
}
