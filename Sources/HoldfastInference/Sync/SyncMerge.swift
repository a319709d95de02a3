import Foundation
import Holdfast
import HoldfastTransfer

/// Merges the server's data with this device's rows, field by field, in one transaction.
///
/// If people may not override the server's values, the server wins. Otherwise the newer row wins, and at equal times ours: an
/// app may save an edit without a new time. A value that loses is stored as a conflict, unless its row has no edits that the
/// server lacks: then the server had the value and replaced it. Revisions belong to a row, not a field, so every losing field
/// of a row with edits is stored. A row without edits is acknowledged after the merge, and is not sent back. A row with edits
/// waits until a server accepts it, because the server lacks its other fields. A row that cannot be read is not changed, and
/// the other rows are merged; the integrity check reports it.
enum SyncMerge {
  /// Fields that are this device's own, and never come from a server: a row's identity and creation, places of files, and usage.
  private static let ownOfConfiguration: Set = ["id", "createdAt", "updatedAt", "storage.directoryName"]
  private static let ownOfModel: Set = ["id", "createdAt", "updatedAt", "localPath", "downloadedAt", "lastUsed", "usageCount"]
  /// The server decides this field.
  private static let rule = "allowUserOverride"

  /// Returns whether the configuration changed.
  static func take(_ pulled: SaidRow<InferenceConfiguration>, in tx: Writer) throws -> Bool {
    let (said, theirs) = (ConfigurationFields.nested.fields(of: pulled), pulled.row)
    guard let stored = try readable({ try InferenceStore.configuration(theirs.id, in: tx) }) else { return false }
    let ours = stored ?? InferenceConfiguration(id: theirs.id, createdAt: theirs.createdAt, updatedAt: theirs.updatedAt)
    let mayOverride = said.contains { $0.name == rule } ? theirs.allowsUserOverride : ours.allowsUserOverride
    let wins = stored == nil || !mayOverride || theirs.updatedAt > ours.updatedAt
    var merge = try Merge(ours, isNew: stored == nil, .configurations, theirs.id, in: tx)
    for field in said where !ownOfConfiguration.contains(field.name) {
      merge.take(field, of: theirs, if: (wins || field.name == rule) && SyncPrivacy.allows(field.name, of: theirs, over: ours))
    }
    merge.row.updatedAt = max(ours.updatedAt, theirs.updatedAt)
    return try merge.end(in: tx) { try InferenceStore.save($0, in: tx) }
  }

  /// Returns how many models changed or are new. Models that the catalogue lacks stay.
  static func take(_ models: [SaidRow<ModelMetadata>], in tx: Writer) throws -> Int {
    let mayOverride = try tx.count("SELECT allows_user_override FROM configuration WHERE id = \(InferenceConfiguration.defaultID)") > 0
    return try models.count { try take($0, mayOverride, in: tx) }
  }

  private static func take(_ pulled: SaidRow<ModelMetadata>, _ mayOverride: Bool, in tx: Writer) throws -> Bool {
    let theirs = pulled.row
    guard let stored = try readable({ try InferenceStore.model(theirs.id, in: tx) }) else { return false }
    let framework = ModelFramework(rawValue: "")
    let ours =
      stored ?? ModelMetadata(id: theirs.id, name: "", framework: framework, createdAt: theirs.createdAt, updatedAt: theirs.updatedAt)
    let wins = stored == nil || !mayOverride || theirs.updatedAt > ours.updatedAt
    var merge = try Merge(ours, isNew: stored == nil, .models, theirs.id, in: tx)
    for field in ModelFields.json.fields(of: pulled) where !ownOfModel.contains(field.name) {
      // A device that does not know the value sends 0; it is ignored.
      guard field.value(of: theirs) != SyncWire.nothingOfModel[field.name] else { continue }
      merge.take(field, of: theirs, if: wins)
    }
    merge.row.updatedAt = max(ours.updatedAt, theirs.updatedAt)
    return try merge.end(in: tx) { try InferenceStore.save($0, in: tx) }
  }

  /// Nil for a row that cannot be read; an inner nil for a missing row.
  private static func readable<Row>(_ read: () throws -> Row?) throws -> Row?? {
    do { return .some(try read()) } catch let error as StoreError where error.code == .decoding { return nil }
  }
}

private struct Merge<Row: Sendable> {
  var row: Row
  private let ours: Row
  private let isEdited: Bool
  private let outbox: Outbox
  private let id: String
  private var lost: [LostField] = []
  private var isChanged: Bool

  init(_ ours: Row, isNew: Bool, _ outbox: Outbox, _ id: String, in reader: Reader) throws {
    (row, self.ours, isChanged, self.outbox, self.id) = (ours, ours, isNew, outbox, id)
    // Whether the row has edits that the server lacks.
    isEdited = try reader.count("SELECT count(*) FROM \(raw: outbox.table) WHERE id = \(id) AND revision > acknowledged_revision") > 0
  }

  mutating func take(_ field: RecordField<Row>, of theirs: Row, if wins: Bool) {
    let (mine, other) = (field.value(of: ours), field.value(of: theirs))
    guard mine != other else { return }
    guard wins else { return lost.append(LostField(name: field.name, value: other, kept: .ours, isFromServer: true)) }
    field.copy(from: theirs, to: &row)
    isChanged = true
    if isEdited { lost.append(LostField(name: field.name, value: mine, kept: .theirs, isFromServer: false)) }
  }

  /// Returns whether the row is new or changed.
  func end(in tx: Writer, _ save: (Row) throws -> Void) throws -> Bool {
    if isChanged { try save(row) }
    try InferenceStore.note(lost, of: outbox.table, id, in: tx)
    guard !isEdited else { return isChanged }
    try tx.execute("UPDATE \(raw: outbox.table) SET acknowledged_revision = revision WHERE id = \(id)")
    try tx.execute("DELETE FROM sync_tries WHERE kind = \(outbox.table) AND row_id = \(id)")
    return isChanged
  }
}
