import Foundation
import Holdfast
import HoldfastTransfer

/// Rows under a heading, in columns that align on a terminal for any script.
///
/// On a terminal a column of UUIDs, and one of keys, shows the beginnings of its UUIDs. Where there is no room, columns that may be cut are cut
/// between words; then columns of UUIDs are left out, and then others, both from the right.
struct TextTable {
  let columns: [ShownColumn]
  /// The column whose cells may have UUIDs among other letters, as in `plants:0a0a0a0a-0000-4000-8000-000000000001`.
  private let keys: Int?
  private let tellsProblems: Bool
  private var rows: [[String]] = []
  private static let gap = 2
  private static let narrowest = 12
  /// A longer word, such as an address or JSON, is cut.
  private static let longestWord = 30
  /// The beginnings of a UUID: up to each of its dashes, and all of it.
  private static let beginnings = [8, 13, 18, 23, 36]

  /// - Parameter keys: the heading of the column of keys; nil: none.
  init(_ columns: [ShownColumn], _ rows: [[String]] = [], keys: String? = nil, tellsProblems: Bool = false) {
    (self.columns, self.keys, self.tellsProblems) = (columns, columns.firstIndex { $0.title == keys }, tellsProblems)
    for row in rows { add(row) }
  }

  /// Cells that are missing are empty; more cells than columns are left out.
  mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { cells.indices.contains($0) ? DisplayText.printable(cells[$0]) : "" })
  }

  /// - Parameter width: columns of the terminal; nil cuts nothing, shows whole ids, and has no `Ink`.
  func text(width: Int?) -> String {
    let ids = width == nil ? [:] : idLengths
    let table = shortened(ids)
    let layout = table.layout(in: width, without: columnsOfIDs)
    let lines = table.rows.map { row in
      line(of: row, layout) { column in
        if ids[column] != nil { return .dim }
        return width != nil && tellsProblems && column == columns.count - 1 ? .red : nil
      }
    }
    return ([line(of: columns.map(\.title), layout) { _ in width == nil ? nil : .bold }] + lines).joined(separator: "\n") + "\n"
  }

  /// Says which columns there is no room for; nil when there is.
  func note(width: Int?) -> String? {
    let ids = width == nil ? [:] : idLengths
    let shown = Set(shortened(ids).layout(in: width, without: columnsOfIDs).map(\.column))
    let left = columns.indices.filter { !shown.contains($0) }.map { columns[$0].title }
    return left.isEmpty ? nil : "No room for \(left.joined(separator: ", ")): make the terminal wider, or use --json."
  }

  /// The columns in which each cell is a UUID, or empty.
  private var columnsOfIDs: Set<Int> {
    Set(
      columns.indices.filter { column in
        let cells = rows.lazy.map { $0[column] }.filter { !$0.isEmpty }
        return !cells.isEmpty && cells.allSatisfy { Self.ids(in: $0) == [$0] }
      })
  }

  /// The columns of UUIDs and of keys, each with the fewest characters that tell its UUIDs apart, at least eight.
  private var idLengths: [Int: Int] {
    var lengths: [Int: Int] = [:]
    for column in columnsOfIDs.union(keys.map { [$0] } ?? []) {
      let ids = Set(rows.flatMap { Self.ids(in: $0[column]) })
      lengths[column] = Self.beginnings.first { length in Set(ids.map { $0.prefix(length) }).count == ids.count }
    }
    return lengths
  }

  /// The UUIDs in a cell, which stand between other letters than theirs.
  private static func ids(in cell: String) -> [String] {
    guard cell.utf8.count >= 36 else { return [] }
    return cell.split { !$0.isHexDigit && $0 != "-" }.filter { IDCodec.parse($0) != nil }.map(String.init)
  }

  private func shortened(_ lengths: [Int: Int]) -> TextTable {
    var table = self
    for (column, length) in lengths {
      for row in rows.indices {
        for id in Self.ids(in: rows[row][column]) {
          table.rows[row][column] = table.rows[row][column].replacingOccurrences(of: id, with: id.prefix(length))
        }
      }
    }
    return table
  }

  /// The columns that there is room for, with their widths.
  private func layout(in width: Int?, without ids: Set<Int>) -> [(column: Int, width: Int)] {
    let natural = columns.indices.map { column in
      rows.reduce(DisplayText.columns(columns[column].title)) { max($0, DisplayText.columns($1[column])) }
    }
    // No column gets so narrow that its first word breaks.
    let least = columns.indices.map { column in
      guard columns[column].canShrink else { return natural[column] }
      return rows.reduce(max(Self.narrowest, DisplayText.columnsOfFirstWord(columns[column].title))) {
        max($0, min(Self.longestWord, DisplayText.columnsOfFirstWord($1[column])))
      }
    }
    var kept = Array(columns.indices)
    func laid(_ widths: [Int]) -> [(column: Int, width: Int)] { kept.map { ($0, widths[$0]) } }
    // The lines of one column may be as long as they like.
    guard let width, columns.count > 1 else { return laid(natural) }
    while kept.count > 1 {
      if let shrunk = shrunk(laid(natural), least, to: width) { return shrunk }
      if let id = kept.lastIndex(where: ids.contains) {
        kept.remove(at: id)
        continue
      }
      // Without the first column of texts a line says too little, so there a word that is too long for the line is cut.
      if kept.first(where: { columns[$0].canShrink }) == kept.last,
        let shrunk = shrunk(laid(natural), natural.map { min($0, Self.narrowest) }, to: width)
      {
        return shrunk
      }
      kept.removeLast()
    }
    return shrunk(laid(natural), natural.map { min($0, Self.narrowest) }, to: width) ?? laid(natural)
  }

  /// Nil when they do not fit even with the widths `least`.
  private func shrunk(
    _ natural: [(column: Int, width: Int)], _ least: [Int], to width: Int
  ) -> [(column: Int, width: Int)]? {
    var layout = natural
    while layout.reduce(-Self.gap, { $0 + $1.width + Self.gap }) > width {
      let candidates = layout.indices.filter { columns[layout[$0].column].canShrink && layout[$0].width > least[layout[$0].column] }
      guard let widest = candidates.max(by: { layout[$0].width < layout[$1].width }) else { return nil }
      layout[widest].width -= 1
    }
    return layout
  }

  private func line(of cells: [String], _ layout: [(column: Int, width: Int)], _ ink: (Int) -> Ink?) -> String {
    var line = ""
    var owed = ""
    for (column, width) in layout {
      let cell = DisplayText.cutBetweenWords(cells[column], to: width)
      let space = String(repeating: " ", count: max(0, width - DisplayText.columns(cell)))
      let end = cell.lastIndex { $0 != " " }.map(cell.index(after:)) ?? cell.startIndex
      if columns[column].alignsRight { owed += space }
      // No line ends in spaces.
      if end > cell.startIndex {
        let text = String(cell[..<end])
        line += owed + (ink(column)?.on(text) ?? text)
        owed = ""
      }
      owed += cell[end...] + (columns[column].alignsRight ? "" : space) + String(repeating: " ", count: Self.gap)
    }
    return line
  }
}

/// Facts about one thing: a name and a value a line.
struct FactList: ExpressibleByDictionaryLiteral {
  private var facts: [(name: String, value: String)] = []

  init(dictionaryLiteral facts: (String, String?)...) {
    for (name, value) in facts { add(name, value) }
  }

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
