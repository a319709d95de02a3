import HoldfastTransfer

/// Rows under a heading, in columns that align on a terminal for any script.
struct TextTable {
  let columns: [ShownColumn]
  private var rows: [[String]] = []
  private static let gap = 2
  private static let narrowest = 12

  init(_ columns: [ShownColumn]) { self.columns = columns }

  /// Cells that are missing are empty; more cells than columns are left out.
  mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { cells.indices.contains($0) ? DisplayText.printable(cells[$0]) : "" })
  }

  /// - Parameter width: columns of the terminal; nil cuts nothing.
  func text(width: Int?) -> String {
    let widths = widths(in: width)
    return ([columns.map(\.title)] + rows).map { line(of: $0, widths) }.joined(separator: "\n") + "\n"
  }

  /// Says which columns there is no room for; nil when there is.
  func note(width: Int?) -> String? {
    let left = columns.dropFirst(widths(in: width).count).map(\.title)
    return left.isEmpty ? nil : "No room for \(left.joined(separator: ", ")): make the terminal wider, or use --json."
  }

  /// Widths of the columns that there is room for, from the left.
  private func widths(in width: Int?) -> [Int] {
    var widths = columns.indices.map { column in
      rows.reduce(DisplayText.columns(columns[column].title)) { max($0, DisplayText.columns($1[column])) }
    }
    guard let width, !fit(widths, in: width) else { return widths }
    // No column gets so narrow that a word breaks.
    let least = columns.indices.map { column in
      guard columns[column].canShrink else { return widths[column] }
      return rows.reduce(max(Self.narrowest, DisplayText.columnsOfFirstWord(columns[column].title))) {
        max($0, DisplayText.columnsOfFirstWord($1[column]))
      }
    }
    while widths.count > 1 {
      if let shrunk = shrunk(widths, least, to: width) { return shrunk }
      // Without the first column of texts a line says too little, so there a word that is too long for the line is cut.
      if columns.firstIndex(where: \.canShrink) == widths.count - 1,
        let shrunk = shrunk(widths, widths.map { min($0, Self.narrowest) }, to: width)
      {
        return shrunk
      }
      widths.removeLast()
    }
    return widths
  }

  private func fit(_ widths: [Int], in width: Int) -> Bool { widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) <= width }

  /// Nil when they do not fit even with the widths `least`.
  private func shrunk(_ natural: [Int], _ least: [Int], to width: Int) -> [Int]? {
    var widths = natural
    while !fit(widths, in: width) {
      let candidates = widths.indices.filter { columns[$0].canShrink && widths[$0] > least[$0] }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return nil }
      widths[widest] -= 1
    }
    return widths
  }

  private func line(of cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, column) in columns.prefix(widths.count).enumerated() {
      let cell = DisplayText.cutBetweenWords(cells[index], to: widths[index])
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
