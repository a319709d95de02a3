import Foundation
import Holdfast

// All that is not telemetry goes with the person's full consent only, and limited consent is not that. Where a server takes rows it
// answers `{"syncedIds": […]}`; a configuration goes alone and is in when `success` is true.

extension SyncKind {
  static var configurations: SyncKind {
    SyncKind(
      table: ConfigurationRow.table, path: "/v1/sync/configuration", key: "id", mostRows: 1,
      rows: { after, limit, reader in
        guard try consent(reader) == .granted else { return [] }
        let found = try reader.values(
          """
          SELECT rowid, revision, id FROM configuration WHERE \(sql: isPending) AND rowid > \(after) ORDER BY rowid LIMIT \(limit)
          """
        ) { row in (rowID: try row.int64(), revision: try row.int64(), id: try row.text()) }
        var rows: [Row] = []
        for place in found {
          var row = Row(rowID: place.rowID, id: place.id, revision: place.revision, element: .null)
          do {
            guard let configuration = try InferenceStore.configuration(place.id, in: reader) else { continue }
            row.element = element(of: configuration)
          } catch let error as StoreError where error.code == .decoding {
            row.problem = error.message
          }
          rows.append(row)
        }
        return rows
      },
      body: { rows, _ in rows.first?.element ?? .null },
      verdict: { answer, rows in configurationVerdict(answer, rows) },
      conflicts: { answer in conflictsOfConfiguration(answer) })
  }

  static var models: SyncKind {
    SyncKind(
      table: ModelMetadata.table, path: "/v1/sync/models", key: "id",
      rows: { after, limit, reader in
        guard try consent(reader) == .granted else { return [] }
        return try waiting(ModelMetadata.self, after: after, limit: limit, in: reader) { SyncWire.model($0) }
      },
      body: { rows, _ in .object(["models": .array(rows.map(\.element))]) },
      verdict: { answer, rows in syncedIDs(answer, rows) })
  }

  /// Sessions go first, on a path of their own with their generations.
  static var sessions: SyncKind {
    SyncKind(
      table: GenerationSession.table, path: historyPath, key: "id",
      rows: { after, limit, reader in
        guard try consent(reader) == .granted else { return [] }
        return try waiting(GenerationSession.self, after: after, limit: limit, in: reader) { SyncWire.session($0) }
      },
      body: { rows, _ in .object(["sessions": .array(rows.map(\.element)), "generations": .array([])]) },
      verdict: { answer, rows in syncedIDs(answer, rows, areUUIDs: true) })
  }

  /// Those whose session the server has.
  static var generations: SyncKind {
    SyncKind(
      table: Generation.table, path: historyPath, key: "id",
      rows: { after, limit, reader in
        guard try consent(reader) == .granted else { return [] }
        return try waiting(
          Generation.self,
          where: "EXISTS (SELECT 1 FROM generation_sessions s WHERE s.id = session_id AND s.acknowledged_revision > 0)", after: after,
          limit: limit, in: reader
        ) { SyncWire.generation($0) }
      },
      body: { rows, _ in .object(["sessions": .array([]), "generations": .array(rows.map(\.element))]) },
      verdict: { answer, rows in syncedIDs(answer, rows, areUUIDs: true) })
  }

  static var preferences: SyncKind {
    SyncKind(
      table: UserPreference.table, path: "/v1/sync/preferences", key: "name",
      rows: { after, limit, reader in
        guard try consent(reader) == .granted else { return [] }
        return try waiting(UserPreference.self, key: "name", after: after, limit: limit, in: reader) { SyncWire.preference($0) }
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
    let sent = Set(rows.map(\.id))
    var accepted: Set<String> = []
    for case .string(let text) in ids {
      let id = areUUIDs ? text.lowercased() : text
      if sent.contains(id) { accepted.insert(id) }
    }
    return decided(accepted, [:], sent)
  }

  /// `success` false is no acknowledgement.
  static func configurationVerdict(_ answer: JSONValue, _ rows: [Row]) -> Verdict {
    guard case .object(let members) = answer, case .bool(let success)? = members["success"] else { return .unreadable }
    let sent = Set(rows.map(\.id))
    return decided(success ? sent : [], [:], sent)
  }

  /// Nothing but the fields that are sent: whatever else a server names is not kept here.
  static func conflictsOfConfiguration(_ answer: JSONValue) -> [LostField] {
    guard case .object(let members) = answer, case .array(let conflicts)? = members["conflicts"] else { return [] }
    let names = Set(ConfigurationFields.nested.map(\.name))
    var lost: [LostField] = []
    for case .object(let conflict) in conflicts {
      guard let name = conflict.string("field"), names.contains(name) else { continue }
      // Of a value that the server made of both it is ours that is nowhere any more.
      let keepsOurs = conflict.string("resolution") == "useLocal"
      let value = conflict[keepsOurs ? "serverValue" : "localValue"] ?? .null
      lost.append(LostField(name: name, value: value, kept: keepsOurs ? .ours : .theirs))
    }
    return lost
  }
}
