import Foundation
import Holdfast
import HoldfastTransfer

// All that is not telemetry goes with the person's full consent only, and limited consent is not that. Where a server takes rows it
// answers `{"syncedIds": […]}`; a configuration goes alone and is in when `success` is true.

extension SyncKind {
  static var configurations: SyncKind {
    SyncKind(
      table: .configurations, path: "/v1/sync/configuration", mostRows: 1,
      read: { stretch, _, reader in
        let table = SentTable.configurations
        var rows = try reader.values(table.waiting(stretch, table.placed)) { try Row(&$0) }
        for place in rows.indices {
          do {
            guard let configuration = try InferenceStore.configuration(rows[place].id, in: reader) else {
              rows[place].problem = "its id is not UTF-8 text"
              continue
            }
            rows[place].element = element(of: configuration)
          } catch let error as StoreError where error.code == .decoding {
            rows[place].problem = error.message
          }
        }
        return rows
      },
      body: { rows, _ in rows.first?.element ?? .null },
      verdict: { answer, rows in configurationVerdict(answer, rows) },
      conflicts: { answer in conflictsOfConfiguration(answer) })
  }

  static var models: SyncKind {
    SyncKind(
      table: .models, path: "/v1/sync/models",
      read: { stretch, _, reader in try rows(of: ModelMetadata.self, .models, stretch, in: reader) { SyncWire.model($0) } },
      body: { rows, _ in .object(["models": .array(rows.map(\.element))]) },
      verdict: { answer, rows in syncedIDs(answer, rows) })
  }

  /// Sessions go first, on a path of their own with their generations.
  static var sessions: SyncKind {
    SyncKind(
      table: .sessions, path: historyPath,
      read: { stretch, _, reader in try rows(of: GenerationSession.self, .sessions, stretch, in: reader) { SyncWire.session($0) } },
      body: { rows, _ in .object(["sessions": .array(rows.map(\.element)), "generations": .array([])]) },
      verdict: { answer, rows in syncedIDs(answer, rows, areUUIDs: true) })
  }

  /// Those whose session the server has.
  static var generations: SyncKind {
    SyncKind(
      table: .generations, path: historyPath,
      read: { stretch, _, reader in
        let isKnown: BoundSQL = "EXISTS (SELECT 1 FROM generation_sessions s WHERE s.id = session_id AND s.acknowledged_revision > 0)"
        return try rows(of: Generation.self, .generations, stretch, where: isKnown, in: reader) { SyncWire.generation($0) }
      },
      body: { rows, _ in .object(["sessions": .array([]), "generations": .array(rows.map(\.element))]) },
      verdict: { answer, rows in syncedIDs(answer, rows, areUUIDs: true) })
  }

  static var preferences: SyncKind {
    SyncKind(
      table: .preferences, path: "/v1/sync/preferences",
      read: { stretch, filter, reader in
        try rows(of: UserPreference.self, .preferences, stretch, in: reader) { preference in
          // Another program may have stored it, or an import.
          try InferenceStore.checkNotSecret(preference.name, filter.secretProperties)
          return SyncWire.preference(preference)
        }
      },
      body: { rows, _ in .object(["preferences": .array(rows.map(\.element))]) },
      verdict: { answer, rows in syncedIDs(answer, rows) })
  }

  private static let historyPath = "/v1/sync/history"

  private static func element(of configuration: InferenceConfiguration) -> JSONValue {
    .object([
      "id": .string(configuration.id),
      "data": .string(Data(SyncWire.configuration(configuration).canonicalText().utf8).base64EncodedString()),
      "version": .string("1.0"), "lastModified": SyncWire.date(configuration.updatedAt),
    ])
  }

  /// What is not named was not taken.
  ///
  /// - Parameter areUUIDs: the wire has them in capitals, as `JSONEncoder` writes them, and servers answer in either.
  static func syncedIDs(_ answer: JSONValue, _ rows: [Row], areUUIDs: Bool = false) -> Verdict {
    guard case .object(let members) = answer, case .array(let ids)? = members["syncedIds"] else { return .unreadable }
    var accepted: Set<ExactText> = []
    for case .string(let text) in ids { accepted.insert(ExactText(areUUIDs ? text.lowercased() : text)) }
    let sent = self.ids(of: rows)
    return decided(accepted.intersection(sent), [:], sent)
  }

  /// Those that say no are read before.
  static func configurationVerdict(_ answer: JSONValue, _ rows: [Row]) -> Verdict {
    guard case .object(let members) = answer, members["success"] == .bool(true) else { return .unreadable }
    let sent = ids(of: rows)
    return decided(sent, [:], sent)
  }

  /// Nothing but the fields that are sent: whatever else a server names is not kept here.
  static func conflictsOfConfiguration(_ answer: JSONValue) -> [LostField] {
    guard case .object(let members) = answer, case .array(let conflicts)? = members["conflicts"] else { return [] }
    // Each once in an answer.
    var names = Set(ConfigurationFields.nested.fields.map(\.name))
    var lost: [LostField] = []
    for case .object(let conflict) in conflicts {
      guard let name = conflict.string("field"), names.remove(name) != nil else { continue }
      // Of a value that the server made of both it is ours that is nowhere any more.
      let keepsOurs = conflict.string("resolution") == "useLocal"
      let value = conflict[keepsOurs ? "serverValue" : "localValue"] ?? .null
      lost.append(LostField(name: name, value: value, kept: keepsOurs ? .ours : .theirs, isFromServer: true))
    }
    return lost
  }
}
