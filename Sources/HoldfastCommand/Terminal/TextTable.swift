/// Rows under a heading, in columns that align on a terminal for any script.
struct TextTable {
  struct Column {
    var title: String
    var alignsRight = false
    /// May be cut when the terminal is too narrow.
    var canShrink = false

    static func text(_ title: String) -> Column { Column(title: title) }
    static func flexible(_ title: String) -> Column { Column(title: title, canShrink: true) }
    static func number(_ title: String) -> Column { Column(title: title, alignsRight: true) }
  }

  let columns: [Column]
  private var rows: [[String]] = []
  private static let gap = 2
  private static let narrowest = 12

  init(_ columns: [Column]) { self.columns = columns }

  /// Cells that are missing are empty; more cells than columns are left out.
  mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { cells.indices.contains($0) ? DisplayText.printable(cells[$0]) : "" })
  }

  /// - Parameter width: columns of the terminal; nil cuts nothing.
  func text(width: Int?) -> String {
    let lines = [columns.map(\.title)] + rows
    var widths = columns.indices.map { column in lines.map { DisplayText.columns($0[column]) }.max() ?? 0 }
    if let width { shrink(&widths, to: width) }
    return lines.map { line(of: $0, widths) }.joined(separator: "\n") + "\n"
  }

  private func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + Self.gap * max(0, columns.count - 1) - width
    while excess > 0 {
      let candidates = columns.indices.filter { columns[$0].canShrink && widths[$0] > Self.narrowest }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      excess -= 1
    }
  }

  private func line(of cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, column) in columns.enumerated() {
      let cell = DisplayText.cut(cells[index], to: widths[index])
      let space = String(repeating: " ", count: max(0, widths[index] - DisplayText.columns(cell)))
      line += column.alignsRight ? space + cell : cell + space
      line += String(repeating: " ", count: Self.gap)
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}

/// Facts about one thing: a name and a value a line.
struct FactList {
  private var facts: [(name: String, value: String)] = []

  /// A fact without a value is left out.
  mutating func add(_ name: String, _ value: String?) {
    if let value, !value.isEmpty { facts.append((name, DisplayText.printable(value))) }
  }

  var text: String {
    let width = facts.map { DisplayText.columns($0.name) }.max() ?? 0
    return facts.map { fact in
      fact.name + String(repeating: " ", count: width - DisplayText.columns(fact.name) + 2) + fact.value + "\n"
    }.joined()
  }
}
