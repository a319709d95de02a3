import HoldfastTransfer

/// What a library shows, as text for a terminal or a file.
struct Rendering {
  private(set) var text = ""
  /// Remarks about columns that a narrow terminal has no room for.
  private(set) var notes: [String] = []

  init(_ blocks: [ShownBlock], width: Int?, _ style: BarChart.Style) {
    for block in blocks {
      switch block {
      case .facts(let facts):
        var list: FactList = [:]
        for fact in facts { list.add(fact.name, fact.words) }
        text += list.text
      case .table(let title, let columns, let rows):
        guard !rows.isEmpty else { continue }
        let table = TextTable(columns, rows)
        text += (text.isEmpty ? "" : "\n") + (title.map { $0 + "\n" } ?? "") + table.text(width: width)
        if let width, let note = table.note(width: width) { notes.append(note) }
      case .chart(let title, let lines):
        text += BarChart(title, lines).text(style)
      }
    }
  }
}
