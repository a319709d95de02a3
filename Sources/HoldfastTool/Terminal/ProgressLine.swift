import Foundation
import Holdfast
import HoldfastTransfer

/// How far an import is, as words. Writing and verifying are half of the way each.
struct ProgressLine {
  let progress: ImportProgress
  let elapsed: Double

  var fraction: Double {
    let part = progress.total > 0 ? min(1, max(0, Double(progress.done) / Double(progress.total))) : 0
    return switch progress.phase {
    case .importing: part / 2
    case .verifying: 0.5 + part / 2
    case .finishing: 1
    }
  }

  /// For programs that follow: one line an event.
  var event: String { "progress \(progress.phase.rawValue) \(progress.done)/\(progress.total) records \(progress.records)\n" }

  /// Without a terminal: one line for each tenth of the way.
  var plain: String { "\(percent) \(progress.phase.rawValue)\(rate)\n" }

  /// On a terminal, at most `width` columns.
  func bar(width: Int) -> String {
    let before = "\(progress.phase.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)) \(percent) "
    let after = rate + left
    let room = min(40, width - before.count - after.count - 3)
    guard room >= 5 else { return DisplayText.cut(before + after, to: max(1, width - 1)) }
    let full = Int(Double(room) * fraction)
    return before + "[" + String(repeating: "#", count: full) + String(repeating: ".", count: room - full) + "]" + after
  }

  private var percent: String {
    let number = String(Int(fraction * 100))
    return String(repeating: " ", count: max(0, 3 - number.count)) + number + " %"
  }

  private var rate: String {
    let rate = progress.recordsPerSecond
    return rate.isFinite && rate >= 1 && rate < 1e12 ? "  \(Int(rate)) records/s" : ""
  }

  private var left: String {
    guard fraction > 0.02, fraction < 1 else { return "" }
    return "  \(DisplayText.length((elapsed / fraction * (1 - fraction)).rounded(.up))) left"
  }
}
