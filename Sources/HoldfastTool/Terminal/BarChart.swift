/// Numbers by name: with bars on a terminal, plain elsewhere.
struct BarChart {
  struct Style {
    /// Columns of the terminal; nil without a terminal: no bars.
    var width: Int?
    /// Whether the output can show Unicode's block characters; otherwise bars are made of `#`.
    var hasBlocks: Bool
  }

  let title: String
  private let rows: [(label: String, number: Double, words: String)]
  private static let longestLabel = 40
  private static let longestBar = 40
  private static let shortestBar = 5
  /// Seven eighths of a column down to one.
  private static let eighths = ["▉", "▊", "▋", "▌", "▍", "▎", "▏"]

  /// - Parameter lines: each with the number as people read it.
  init(_ title: String, _ lines: [(label: String, number: Double, words: String)]) {
    self.title = DisplayText.printable(title)
    rows = lines.map { (DisplayText.printable($0.label), $0.number.isFinite ? max(0, $0.number) : 0, $0.words) }
  }

  /// An empty line, the title, and a line for each number; empty if there are no numbers.
  func text(_ style: Style) -> String {
    guard !rows.isEmpty else { return "" }
    let limit = style.width.map { max(8, min(Self.longestLabel, $0 / 2)) } ?? Self.longestLabel
    let labels = rows.map { DisplayText.cut($0.label, to: limit) }
    let labelWidth = labels.map(DisplayText.columns).max() ?? 0
    let wordsWidth = rows.map { DisplayText.columns($0.words) }.max() ?? 0
    let room = min(Self.longestBar, (style.width ?? 0) - labelWidth - wordsWidth - 6)
    let greatest = rows.map(\.number).max() ?? 0
    var text = "\n\(title)\n"
    for (label, row) in zip(labels, rows) {
      text += "  " + label + spaces(labelWidth - DisplayText.columns(label) + 2)
      text += spaces(wordsWidth - DisplayText.columns(row.words)) + row.words
      if room >= Self.shortestBar, row.number > 0, greatest > 0 {
        text += "  " + bar(row.number / greatest, room: room, hasBlocks: style.hasBlocks)
      }
      text += "\n"
    }
    return text
  }

  /// Even the smallest number gets a visible bar.
  private func bar(_ part: Double, room: Int, hasBlocks: Bool) -> String {
    guard hasBlocks else { return String(repeating: "#", count: max(1, Int((part * Double(room)).rounded()))) }
    let eighths = max(1, Int((part * Double(room) * 8).rounded()))
    let rest = eighths % 8
    return String(repeating: "█", count: eighths / 8) + (rest == 0 ? "" : Self.eighths[7 - rest])
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
