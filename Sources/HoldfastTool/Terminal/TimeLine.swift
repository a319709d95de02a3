import Foundation
import Holdfast
import HoldfastTransfer

/// The entries of a store's past, oldest first: the archive's, and the snapshots.
struct TimeLine {
  enum Entry {
    case event(ArchiveEvent)
    case snapshot(Snapshot)

    var time: Date {
      switch self {
      case .event(let event): event.time
      case .snapshot(let snapshot): snapshot.createdAt
      }
    }

    var commit: ArchivedCommit? { if case .event(let event) = self, event.kind == .commit { event.details } else { nil } }
  }

  enum Line {
    case one(Entry)
    /// Commits in the middle of a long run.
    case commits([ArchivedCommit])
  }

  /// A run of more commits than this is shortened on a terminal.
  private static let longestRun = 12
  /// The commits that stay at both ends of a shortened run.
  private static let ends = 3

  private(set) var entries: [Entry]

  /// - Parameter limit: the newest entries; nil: all.
  init(_ events: [ArchiveEvent], _ snapshots: [Snapshot], limit: Int? = nil) {
    let all = events.map(Entry.event) + snapshots.map(Entry.snapshot)
    let inOrder = all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    entries = limit.map { Array(inOrder.suffix($0)) } ?? inOrder
  }

  /// - Parameter shortens: whether the middle of a long run of commits becomes one line.
  func lines(shortens: Bool) -> [Line] {
    var lines: [Line] = []
    var run: [Entry] = []
    func endRun() {
      let commits = run.compactMap(\.commit)
      if shortens, run.count > Self.longestRun, commits.count == run.count {
        lines += run.prefix(Self.ends).map(Line.one)
        lines.append(.commits(Array(commits.dropFirst(Self.ends).dropLast(Self.ends))))
        lines += run.suffix(Self.ends).map(Line.one)
      } else {
        lines += run.map(Line.one)
      }
      run = []
    }
    for entry in entries {
      if entry.commit != nil {
        run.append(entry)
      } else {
        endRun()
        lines.append(.one(entry))
      }
    }
    endRun()
    return lines
  }

  /// - Parameter width: columns of the terminal; nil cuts nothing.
  func text(width: Int?, shortens: Bool, in timeZone: TimeZone = .current) -> String {
    let isUniversal = TimeWords.isUniversal(entries.map(\.time), in: timeZone)
    var columns: [ShownColumn] = [.text("COMMIT"), .text("UTC"), .number("ROWS"), .flexible("WHAT")]
    if !isUniversal { columns.insert(.text("LOCAL TIME"), at: 1) }
    var table = TextTable(columns)
    for line in lines(shortens: shortens) {
      let cells = Self.cells(line, timeZone)
      let local = isUniversal ? [] : [TimeWords.local(cells.time, in: timeZone)]
      table.add([cells.commit] + local + [DisplayText.time(cells.time), cells.rows, cells.what])
    }
    return table.text(width: width)
  }

  private static func cells(_ line: Line, _ timeZone: TimeZone) -> (commit: String, time: Date, rows: String, what: String) {
    switch line {
    case .commits(let commits):
      let rows = commits.compactMap(\.rowsChanged).reduce(0, &+)
      let tables = Set(commits.flatMap(\.tables)).sorted().joined(separator: ", ")
      let (first, last) = (commits.first, commits.last)
      return (
        "\(first?.number ?? 0)–\(last?.number ?? 0)", first?.time ?? .distantPast, String(rows),
        "\(commits.count) commits until \((last?.time).map { TimeWords.local($0, in: timeZone) } ?? ""): \(tables.isEmpty ? "unknown" : tables)"
      )
    case .one(.snapshot(let snapshot)): return ("", snapshot.createdAt, "", "snapshot \(snapshot.id): \(snapshot.label)")
    case .one(.event(let event)):
      guard let commit = event.details else {
        // First, because a narrow terminal cuts the end.
        let after = event.gapFrom.map { " after \(TimeWords.local($0, in: timeZone))" } ?? ""
        let text = event.kind == .base ? event.text : "\(event.kind.rawValue)\(after): \(event.text)"
        return (String(event.commit), event.time, "", text)
      }
      let merged = commit.merged > 0 ? " (with \(commit.merged) before it)" : ""
      let since = commit.earliest.map { " (after \(TimeWords.local($0, in: timeZone)))" } ?? ""
      let clock = commit.clock.map { " (clock: \(TimeWords.local($0, in: timeZone)))" } ?? ""
      let rows = commit.rowsChanged.map(String.init) ?? "unknown"
      return (String(commit.number), commit.time, rows, commit.tableWords + merged + since + clock)
    }
  }
}

extension TimeLine.Entry {
  var document: JSONValue {
    let kind: String
    var members: [String: JSONValue] = [
      "clock": .null, "earliest": .null, "gap_from": .null, "merged": .null, "rows_changed": .null, "tables": .null,
    ]
    switch self {
    case .snapshot(let snapshot):
      kind = "snapshot"
      members.merge(["commit": .null, "text": .string(snapshot.label), "snapshot": .string(snapshot.id)]) { _, new in new }
    case .event(let event):
      kind = event.kind.rawValue
      members.merge(
        ["commit": .integer(event.commit), "text": .string(event.text), "snapshot": .null, "gap_from": .time(event.gapFrom)]
      ) { _, new in new }
      members.merge(event.details?.document.members ?? [:]) { _, new in new }
    }
    members["kind"] = .string(kind)
    members["time"] = .time(time)
    return .object(members)
  }
}
