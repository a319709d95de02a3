import Foundation
import Holdfast
import HoldfastInference

extension InferenceCommands {
  func list(_ what: String, limit: Int?, _ console: Console) throws -> Answer {
    let (total, columns, lines) = try inference.store.read { reader in try listed(what, limit, reader) }
    let rest = total - lines.count
    return Answer(
      document: ["total": .number(total), what: .array(lines.map(\.json))], text: ShownLine.table(columns, lines, console),
      notes: total == 0 ? ["There are no \(what)."] : rest > 0 ? ["… and \(rest) more."] : [])
  }

  private func listed(_ what: String, _ limit: Int?, _ reader: Reader) throws -> (Int, [TextTable.Column], [ShownLine]) {
    switch what {
    case "sessions":
      let lines = try gather(limit, as: ShownLine.init(_:)) { (key: PageKey?, count: Int) -> Page<GenerationSession> in
        try InferenceStore.sessions(after: key, limit: count, in: reader)
      }
      return (try reader.count("SELECT count(*) FROM generation_sessions"), ShownLine.sessionColumns, lines)
    case "preferences":
      let preferences = try InferenceStore.preferences(in: reader)
      return (preferences.count, ShownLine.preferenceColumns, preferences.prefix(limit ?? .max).map { ShownLine($0) })
    case "conflicts":
      let lines = try gather(limit, as: ShownLine.init(_:)) { (key: PageKey?, count: Int) -> Page<SyncConflict> in
        try InferenceStore.syncConflicts(after: key, limit: count, in: reader)
      }
      return (try reader.count("SELECT count(*) FROM sync_conflicts"), ShownLine.conflictColumns, lines)
    case "telemetry":
      let types = try telemetry(reader)
      return (types.count, ShownLine.telemetryColumns, Array(types.prefix(limit ?? .max)))
    default:
      let lines = try gather(limit, as: ShownLine.init(_:)) { (key: PageKey?, count: Int) -> Page<ModelMetadata> in
        try InferenceStore.models(.all, after: key, limit: count, in: reader)
      }
      return (try reader.count("SELECT count(*) FROM model_metadata"), ShownLine.modelColumns, lines)
    }
  }

  /// A line for each type of event.
  private func telemetry(_ reader: Reader) throws -> [ShownLine] {
    try reader.values(
      """
      SELECT type, count(*), count(*) FILTER (WHERE \(sql: Outbox.isPending)), count(*) FILTER (WHERE \(sql: Outbox.isSetAside)),
        max(occurred_at)
      FROM telemetry GROUP BY type ORDER BY type
      """
    ) { row in
      let (type, events, pending, setAside) = (try row.text(), try row.int(), try row.int(), try row.int())
      let last = try row.date()
      return ShownLine(
        cells: [
          type, String(events), pending > 0 ? String(pending) : "", setAside > 0 ? String(setAside) : "", DisplayText.time(last),
        ],
        json: .object([
          "type": .string(type), "events": .number(events), "pending": .number(pending), "set_aside": .number(setAside),
          "last_event_at": .time(last),
        ]))
    }
  }

  /// Models in whose name, id, author or tags every word stands.
  func search(_ text: String, ranked: Bool, limit: Int, _ console: Console) throws -> Answer {
    let words = SortText.folded(text).split(whereSeparator: \.isWhitespace)
    let found = try inference.models().filter { model in
      let said = ([model.name, model.id, model.author ?? ""] + model.tags).map(SortText.folded)
      return !words.isEmpty && words.allSatisfy { word in said.contains { $0.contains(word) } }
    }
    let lines = found.prefix(limit).map { ShownLine($0) }
    let hits = found.prefix(limit).map { model in
      JSONValue.object(ShownLine.members(of: model).merging(["kind": .string("model")]) { own, _ in own })
    }
    return Answer(
      document: ["query": .string(text), "ranked": .bool(ranked), "hits": .array(hits)],
      text: ShownLine.table(ShownLine.modelColumns, lines, console), notes: hits.isEmpty ? ["Nothing was found."] : [])
  }
}
