import Foundation
import Holdfast
import HoldfastTransfer

/// What a server has comes together with what is here, field by field, in one transaction with the rows as they are by then.
///
/// Where people may not override what a server sets the server wins, otherwise the newer of the two rows, and ours of two of one time: an
/// app may save an edit without a new one. The value that loses is noted, unless its row has no edits that the server has not: then it is
/// one that the server had and has replaced. Revisions are a row's, not a field's: of a row that waits, for whatever change of it, every
/// field that loses is noted. A row without edits is acknowledged as it is then, and does not go back; one with edits waits until a server
/// accepts it as it is, because what it says of other fields no server has. A row that cannot be read stays as it is, and holds up no
/// other: the integrity check tells.
enum SyncMerge {
  /// What is this device's own, and not asked of a server: who a row is and when it was made, where files are, what happened with them.
  private static let ownOfConfiguration: Set = ["id", "createdAt", "updatedAt", "storage.directoryName"]
  private static let ownOfModel: Set = ["id", "createdAt", "updatedAt", "localPath", "downloadedAt", "lastUsed", "usageCount"]
  /// The rule is the server's to make.
  private static let rule = "allowUserOverride"

  /// Returns whether anything changed.
  static func take(_ pulled: SaidRow<InferenceConfiguration>, in tx: Writer) throws -> Bool {
    let (fields, theirs) = (ConfigurationFields.nested, pulled.row)
    let stored: InferenceConfiguration?
    do { stored = try InferenceStore.configuration(theirs.id, in: tx) } catch let error as StoreError where error.code == .decoding {
      return false
    }
    let ours = stored ?? InferenceConfiguration(id: theirs.id, createdAt: theirs.createdAt, updatedAt: theirs.updatedAt)
    let said = fields.fields(of: pulled)
    let mayOverride = said.contains { $0.name == rule } ? theirs.allowsUserOverride : ours.allowsUserOverride
    let hasEdits = try isEdited(ConfigurationRow.table, theirs.id, in: tx)
    let wins = stored == nil || !mayOverride || theirs.updatedAt > ours.updatedAt
    var merge = Merge(ours, isEdited: hasEdits)
    for field in said where !ownOfConfiguration.contains(field.name) {
      merge.take(field, of: theirs, if: (wins || field.name == rule) && SyncPrivacy.allows(field.name, of: theirs, over: ours))
    }
    let isNew = stored == nil || merge.isChanged
    if isNew {
      merge.row.updatedAt = max(ours.updatedAt, theirs.updatedAt)
      try InferenceStore.save(merge.row, in: tx)
    }
    try merge.end(ConfigurationRow.table, theirs.id, in: tx)
    return isNew
  }

  /// Returns how many changed, or are new. A model that the catalogue does not have stays.
  static func take(_ models: [SaidRow<ModelMetadata>], in tx: Writer) throws -> Int {
    let mayOverride = try tx.count("SELECT allows_user_override FROM configuration WHERE id = \(InferenceConfiguration.defaultID)") > 0
    var count = 0
    for pulled in models { if try take(pulled, mayOverride, in: tx) { count += 1 } }
    return count
  }

  private static func take(_ pulled: SaidRow<ModelMetadata>, _ mayOverride: Bool, in tx: Writer) throws -> Bool {
    let theirs = pulled.row
    let stored: ModelMetadata?
    do { stored = try InferenceStore.model(theirs.id, in: tx) } catch let error as StoreError where error.code == .decoding { return false }
    let ours =
      stored
      ?? ModelMetadata(
        id: theirs.id, name: "", framework: ModelFramework(rawValue: ""), createdAt: theirs.createdAt, updatedAt: theirs.updatedAt)
    let hasEdits = try isEdited(ModelMetadata.table, theirs.id, in: tx)
    let wins = stored == nil || !mayOverride || theirs.updatedAt > ours.updatedAt
    var merge = Merge(ours, isEdited: hasEdits)
    for field in ModelFields.json.fields(of: pulled) where !ownOfModel.contains(field.name) {
      // A 0 was sent by a device that does not know it, and says nothing.
      guard field.value(of: theirs) != SyncWire.nothingOfModel[field.name] else { continue }
      merge.take(field, of: theirs, if: wins)
    }
    let isNew = stored == nil || merge.isChanged
    if isNew {
      merge.row.updatedAt = max(ours.updatedAt, theirs.updatedAt)
      try InferenceStore.save(merge.row, in: tx)
    }
    try merge.end(ModelMetadata.table, theirs.id, in: tx)
    return isNew
  }

  /// Whether it has edits that the server has not.
  private static func isEdited(_ table: String, _ id: String, in reader: Reader) throws -> Bool {
    try reader.count("SELECT count(*) FROM \(raw: table) WHERE id = \(id) AND revision > acknowledged_revision") > 0
  }
}

/// One row on its way from ours to what holds.
private struct Merge<Row: Sendable> {
  var row: Row
  private let ours: Row
  private let isEdited: Bool
  private var lost: [LostField] = []
  private(set) var isChanged = false

  init(_ ours: Row, isEdited: Bool) {
    row = ours
    self.ours = ours
    self.isEdited = isEdited
  }

  mutating func take(_ field: RecordField<Row>, of theirs: Row, if wins: Bool) {
    let (mine, other) = (field.value(of: ours), field.value(of: theirs))
    guard mine != other else { return }
    guard wins else {
      lost.append(LostField(name: field.name, value: other, kept: .ours, isFromServer: true))
      return
    }
    field.copy(from: theirs, to: &row)
    isChanged = true
    if isEdited { lost.append(LostField(name: field.name, value: mine, kept: .theirs, isFromServer: false)) }
  }

  func end(_ table: String, _ id: String, in tx: Writer) throws {
    try InferenceStore.note(lost, of: table, id, in: tx)
    guard !isEdited else { return }
    try tx.execute("UPDATE \(raw: table) SET acknowledged_revision = revision WHERE id = \(id)")
    try tx.execute("DELETE FROM sync_tries WHERE kind = \(table) AND row_id = \(id)")
  }
}
