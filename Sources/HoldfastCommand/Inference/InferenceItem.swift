import Foundation
import Holdfast
import HoldfastInference

/// Something of an inference store that can be shown.
enum InferenceItem: Equatable {
  case model(String)
  case session(UUID)

  static let kinds = ["model", "session"]

  var kind: String {
    switch self {
    case .model: "model"
    case .session: "session"
    }
  }
}

/// Models and sessions, by what a person calls them. Ids of models are texts of any kind, some of them UUIDs, too.
struct InferenceLookup {
  let text: String
  let reader: Reader

  init(text: String, in reader: Reader) {
    self.text = text
    self.reader = reader
  }

  /// - Throws: `.notFound`; `ambiguous` with what it could mean.
  func item() throws -> InferenceItem {
    // An id in full is that one, whatever begins like it or is named like it.
    if try InferenceStore.model(text, in: reader) != nil { return .model(text) }
    return try Lookup.one(text, of: InferenceItem.kinds, named: named, beginning: beginning)
  }

  /// By name, in any case, with or without accents; otherwise, unless the text may be the beginning of a session's id too, by the
  /// beginning of a model's.
  private func named() throws -> [Lookup.Found<InferenceItem>] {
    let similar = try models(where: "name_key = \(SortText.folded(text))")
    if !similar.isEmpty { return Lookup.closest(text, similar) }
    guard !text.isEmpty, !Lookup.isBeginning(text.lowercased()) else { return [] }
    return try models(where: "substr(lower(id), 1, length(\(text))) = \(text.lowercased())").map(\.found)
  }

  private func beginning(_ prefix: String) throws -> [Lookup.Found<InferenceItem>] {
    let end = Lookup.end(of: prefix)
    let sessions = try reader.values(
      "SELECT id, model_id, started_at FROM generation_sessions WHERE id >= \(prefix) AND id < \(end) LIMIT 6"
    ) { row in
      let id = try row.id()
      let label = "session \(IDCodec.lowercase(id)) (\(DisplayText.cut(try row.text(), to: 40)), \(DisplayText.time(try row.date())))"
      return Lookup.Found(place: InferenceItem.session(id), label: label)
    }
    return try sessions + models(where: "substr(lower(id), 1, length(\(prefix))) = \(prefix)").map(\.found)
  }

  private func models(where condition: BoundSQL) throws -> [(name: String, found: Lookup.Found<InferenceItem>)] {
    try reader.values("SELECT id, name FROM model_metadata WHERE \(sql: condition) ORDER BY id LIMIT 6") { row in
      let id = try row.text()
      let name = try row.text()
      return (name: name, found: Lookup.Found(place: InferenceItem.model(id), label: "model \(id) (\(DisplayText.cut(name, to: 40)))"))
    }
  }
}
