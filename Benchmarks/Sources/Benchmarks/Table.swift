/// A table that reads well on a terminal and is Markdown too.
struct Table: CustomStringConvertible {
  var header: [String]
  var rows: [[String]] = []

  var description: String {
    let widths = header.indices.map { column in ([header] + rows).map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = widths.indices.map { column in
        let cell = column < cells.count ? cells[column] : ""
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return isText(column) ? cell + space : space + cell
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = widths.indices.map { String(repeating: "-", count: widths[$0] + 1) + (isText($0) ? "-" : ":") }.joined(separator: "|")
    return ([line(header), "|" + rule + "|"] + rows.map(line)).joined(separator: "\n")
  }

  /// Figures are set to the right.
  private func isText(_ column: Int) -> Bool {
    rows.contains { row in column < row.count && row[column].first.map { !$0.isNumber && $0 != "-" } ?? false }
  }
}
