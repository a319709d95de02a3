import Foundation
import Holdfast

/// A store with a damaged archive, and what the archive held.
struct ArchiveDamageCase: Judged {
  var archiveDamage: ArchiveDamage
  var folder: String
  var seed: UInt64
  var moments: [ToldMoment]
  /// The commits of which silence is wrong: they can be restored, or `verify` tells damage.
  var promised: ClosedRange<Int64>

  func judge() -> [Finding] { ArchiveDamageVerdict(self).findings }
}

/// Whether a damaged archive gives exactly what was, or tells: first of itself, and at the latest when its store is opened. Only of an end
/// as a killed process or power loss leaves it may an archive say nothing before its store is opened.
struct ArchiveDamageVerdict: Findings {
  var findings: [Finding] = []
  private let judged: ArchiveDamageCase
  private let reading: ArchiveReading
  /// The damage was told: by an error, or by a gap in the history.
  private var isTold = false

  /// How many moments are restored.
  private static let most = 6
  /// Gaps in the undamaged history.
  private static let gaps = 1

  init(_ judged: ArchiveDamageCase) {
    self.judged = judged
    reading = ArchiveReading(folder: judged.folder)
    var random = Chance(judged.archiveDamage.seed)
    let moments = Array(judged.moments.shuffled(using: &random).prefix(Self.most)) + judged.moments.suffix(1)
    let whole = Set(moments.filter { isWhole($0) }.map(\.commit))
    for moment in moments { if let label = moment.label { judge(.label(label), commit: moment.commit) } }
    judgeHistory()
    judgeSilence(moments, whole)
    heal()
    guard let live = open() else { return }
    switch reading.restored(.time(.distantFuture)) {
    case .failure(let error):
      isTold = true
      judge(error)
    case .success(let newest):
      if newest.content != live.content { find("archive-wrong", "after opening, the newest commit differs from the store") }
    }
    judgeHistory()
    for moment in moments {
      if whole.contains(moment.commit) {
        if !isWhole(moment) { find("archive-lost", "commit \(moment.commit) is lost by opening the store") }
      } else if !isTold, !isBack(moment) {
        find("untold", "commit \(moment.commit) is missing, and neither an error nor a gap tells it")
      }
    }
  }

  private mutating func isWhole(_ moment: ToldMoment) -> Bool { judge(.commit(moment.commit), commit: moment.commit) == moment.commit }

  /// Whether the store's log had what the archive had lost. Where it did not, the commit's number may be given again.
  private func isBack(_ moment: ToldMoment) -> Bool {
    guard case .success(let state) = reading.restored(.commit(moment.commit)) else { return false }
    return state.commit == moment.commit && state.content == moment.content
  }

  /// Before the store is opened, `verify` tells damage wherever a promised commit is lost, and a restore of the newest moment gives no older
  /// one in silence. What `verify` tells does not count as told: who does not call it must learn of it, too.
  private mutating func judgeSilence(_ moments: [ToldMoment], _ whole: Set<Int64>) {
    let newest = judge(.time(.distantFuture), commit: nil)
    switch reading.verified() {
    case .failure(let error): judge(error)
    case .success(let report):
      guard report.isHealthy else { return }
      for moment in moments where judged.promised.contains(moment.commit) {
        if !whole.contains(moment.commit) { find("verified", "commit \(moment.commit) is lost, and `verify` finds nothing") }
        if let newest, newest < moment.commit {
          find("older", "commit \(newest) is restored for the newest moment, commit \(moment.commit) was told, and `verify` finds nothing")
        }
      }
    }
  }

  /// Has a moment back, which must be `commit` if that is given. Returns the commit; nil when an error was told.
  @discardableResult
  private mutating func judge(_ moment: Moment, commit: Int64?) -> Int64? {
    switch reading.restored(moment) {
    case .success(let state):
      if let commit, state.commit != commit { find("archive-wrong", "commit \(commit) was asked for, and \(state.commit) is restored") }
      for problem in state.problems { find("archive-wrong", "commit \(state.commit): \(problem)") }
      if let told = judged.moments.last(where: { $0.commit == state.commit }), told.content != state.content {
        find("archive-wrong", "commit \(state.commit) has another content, \(state.batches) batches")
      }
      return state.commit
    case .failure(let error):
      isTold = true
      judge(error)
      return nil
    }
  }

  private mutating func judge(_ error: any Error) {
    guard let error = error as? StoreError, [.damaged, .notFound, .verificationFailed].contains(error.code) else {
      return find("wrong-code", Verdict.text(error))
    }
    // "Restore commit 12, which is proven".
    guard error.code == .damaged, let advice = error.suggestion, advice.contains("which is proven"),
      let proven = advice.split(whereSeparator: { !$0.isNumber }).first, let commit = Int64(proven)
    else { return }
    if case .failure(let error) = reading.restored(.commit(commit)) {
      find("unproven", "commit \(commit) is said to be proven: \(Verdict.text(error))")
    }
  }

  private mutating func judgeHistory() {
    switch reading.history() {
    case .success(let history):
      if history.filter({ $0.kind == .gap }).count > Self.gaps { isTold = true }
    case .failure(let error):
      isTold = true
      judge(error)
    }
  }

  /// The store itself is sound, so nothing is taken from its archive.
  private mutating func heal() {
    let url = Workload.store(URL(fileURLWithPath: judged.folder))
    let before = Oracle(url.path, readOnly: true).content
    do {
      let report = try Store.heal(at: url, schemas: [Library.old], options: Workload.options(.durable, seed: judged.seed))
      if report.means != .none { find("healed-sound", "\(report.means.rawValue): \(report.notes.joined(separator: "; "))") }
    } catch {
      find("healed-sound", Verdict.text(error))
    }
    if Oracle(url.path, readOnly: true).content != before { find("archive-wrong", "healing a sound store has changed it") }
  }

  /// A damaged archive keeps no store from opening and going on.
  private mutating func open() -> Oracle? {
    do {
      var options = Workload.options(.durable, seed: judged.seed)
      ArchiveVerdict.archive(&options)
      let store = try Store.open(at: Workload.store(URL(fileURLWithPath: judged.folder)), schemas: [Library.old], options: options)
      _ = try store.archive()
      let status = try store.archiveStatus()
      if status?.isWriting != true { find("archive-stopped", status?.problem ?? "no problem is told") }
      try store.close()
      return Oracle(Workload.store(URL(fileURLWithPath: judged.folder)).path)
    } catch {
      find("cannot-open", Verdict.text(error))
      return nil
    }
  }
}
