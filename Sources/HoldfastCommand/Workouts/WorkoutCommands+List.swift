import Foundation
import Holdfast
import HoldfastWorkouts

extension WorkoutCommands {
  func list(_ what: String, limit: Int?, _ console: Console) throws -> Answer {
    let (total, columns, lines) = try log.store.read { reader in try listed(what, limit, reader) }
    let rest = total - lines.count
    return Answer(
      document: ["total": .number(total), what: .array(lines.map(\.json))], text: ShownLine.table(columns, lines, console),
      notes: total == 0 ? ["There are no \(what)."] : rest > 0 ? ["… and \(rest) more."] : [])
  }

  private func listed(_ what: String, _ limit: Int?, _ reader: Reader) throws -> (Int, [TextTable.Column], [ShownLine]) {
    switch what {
    case "exercises":
      let lines = try gather(limit, as: ShownLine.init(_:)) { try WorkoutLog.exerciseNames(after: $0, limit: $1, in: reader) }
      let total = try reader.count(
        "SELECT count(*) FROM (SELECT name_key FROM exercises UNION SELECT name_key FROM custom_exercises)")
      return (total, ShownLine.exerciseColumns, lines)
    case "templates":
      let lines = try gather(limit, as: ShownLine.init(_:)) { try WorkoutLog.templates(after: $0, limit: $1, in: reader) }
      return (try reader.count("SELECT count(*) FROM workouts WHERE state = 'template'"), ShownLine.templateColumns, lines)
    default:
      let lines = try gather(limit, as: ShownLine.init(_:)) { try WorkoutLog.workouts(after: $0, limit: $1, in: reader) }
      return (try reader.count("SELECT count(*) FROM workouts WHERE state = 'finished'"), ShownLine.workoutColumns, lines)
    }
  }

  func search(_ text: String, ranked: Bool, limit: Int, _ console: Console) throws -> Answer {
    let (workouts, exercises) = try log.store.read { reader in
      (
        try gather(limit, as: ShownLine.init(_:)) { try WorkoutLog.search(text, after: $0, limit: $1, in: reader) },
        SearchText.queries(text).isEmpty
          ? []
          : try gather(limit, as: ShownLine.init(_:)) { try WorkoutLog.exerciseNames(matching: text, after: $0, limit: $1, in: reader) }
      )
    }
    let hits = workouts.map { $0.json(as: "workout") } + exercises.map { $0.json(as: "exercise") }
    let parts = [
      ShownLine.table(ShownLine.workoutColumns, workouts, console), ShownLine.table(ShownLine.exerciseColumns, exercises, console),
    ]
    return Answer(
      document: ["query": .string(text), "ranked": .bool(ranked), "hits": .array(hits)],
      text: parts.filter { !$0.isEmpty }.joined(separator: "\n"), notes: hits.isEmpty ? ["Nothing was found."] : [])
  }
}

extension ShownLine {
  fileprivate func json(as kind: String) -> JSONValue {
    guard case .object(let members) = json else { return json }
    return .object(members.merging(["kind": .string(kind)]) { own, _ in own })
  }
}
