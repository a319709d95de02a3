import Foundation

/// Whether each acknowledged commit is in the store, or in the state that a restore replaced and told of.
///
/// The k-th restore ends the k-th state of the store: its content is what the restore kept. The last state is the store itself.
struct UpkeepVerdict: Findings {
  var findings: [Finding] = []

  private struct Commit {
    /// The states in which it may have been made: more than one when a restore ran meanwhile.
    var states: ClosedRange<Int>
    var number: Int
  }

  init(_ judged: SharedCase) {
    let home = judged.live.appendingPathComponent("list.sqlite.holdfast")
    var commits: [Commit] = []
    var refused: [Int] = []
    // By number: the state in which it was begun.
    var tried: [Int: Int] = [:]
    var restored: [(snapshot: String, kept: String)] = []
    var isRestoring = false
    for line in judged.lines {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "begin": isRestoring = true
      case "restored":
        isRestoring = false
        restored.append((words[1], words[2]))
      case "try": tried[Int(words[1]) ?? 0] = restored.count
      case "commit":
        let number = Int(words[1]) ?? 0
        commits.append(Commit(states: (tried[number] ?? 0)...(restored.count + (isRestoring ? 1 : 0)), number: number))
      case "refused": refused.append(Int(words[1]) ?? 0)
      // The restore failed: the store is as before.
      case "busy", "failed": if line.contains("restore:") || line.contains("replace:") { isRestoring = false }
      default: break
      }
    }
    let states =
      restored.map { content("what was replaced", home.appendingPathComponent($0.kept)) }
      + [content("the store", Workload.store(judged.live))]
    let snapshots = restored.map { content("the snapshot", home.appendingPathComponent("snapshots/\($0.snapshot).sqlite")) }
    for commit in commits {
      let possible = commit.states.lowerBound...min(commit.states.upperBound, states.count - 1)
      if !possible.contains(where: { states[$0].contains(commit.number) }) {
        find("lost", "batch \(commit.number) is in none of the states \(possible) of \(states.count - 1)")
      }
      // What a later state holds of an earlier one's is what the snapshot held.
      for later in states.indices where later > possible.upperBound && states[later].contains(commit.number) {
        if !snapshots[later - 1].contains(commit.number) {
          find("mixed", "batch \(commit.number) of state \(possible) is in state \(later)")
        }
      }
    }
    for number in refused where states.contains(where: { $0.contains(number) }) { find("refused-though-done", "batch \(number)") }
    for (index, snapshot) in snapshots.enumerated() where !snapshot.isSubset(of: states[index + 1]) {
      find("mixed", "state \(index + 1) lacks \(snapshot.subtracting(states[index + 1]).count) batches of the snapshot that was restored")
    }
  }

  /// The numbers in a file, each whole.
  private mutating func content(_ what: String, _ file: URL) -> Set<Int> {
    let raw = Oracle(file.path, isLine: false)
    for problem in raw.problems { find("oracle", "\(what): \(problem)") }
    return raw.numbers
  }
}
