public import Foundation
public import Holdfast

/// Describes a kind of record once: its fields, its key, its parent, its place, and how its row is found and saved. From what a source says
/// it makes records that an `ImportFormat` need not write or read back itself.
///
/// ```swift
/// static let plants = RecordKind<Plant>(
///   "plants", table: Plant.table, Plant.json, key: { IDCodec.lowercase($0.id) },
///   parent: { .init(kind: "beds", key: IDCodec.lowercase($0.bedID)) },
///   ids: ["bed"], storedIDs: { row, _ in [.id(row.bedID)] },
///   place: .list(\.position) { "bed_id = \($0.bedID) AND id <> \($0.id)" },
///   find: { try $1.find(Plant.self, id: $0.row.id) }, save: { row, _, tx in try tx.upsert(row) })
///
/// try visit(.record(plants.record(said, ids: [bed], path: path, original: .value(start))), start.offset)
/// ```
/// A class without a state that changes, so that each record only has a reference to it.
public final class RecordKind<Row: Sendable>: Sendable {
  /// The record that another one is a part of.
  public typealias Parent = SourceRecord<SaidContent>.Parent

  /// The name in the report and the ledger.
  public let name: String
  /// The store's table.
  public let table: String
  /// The fields that a source may give.
  public let fields: FieldTable<Row>
  @usableFromInline let key: @Sendable (Row) -> String
  @usableFromInline let parent: @Sendable (Row) -> Parent?
  @usableFromInline let ids: [String]
  @usableFromInline let place: RecordPlace<Row>?
  @usableFromInline let modifiedAt: @Sendable (Row) -> Date?
  // Closures and not methods, because they are made where `Row` is known: the kit's own code for any `Row` would be slower.
  @usableFromInline let write: @Sendable (SaidRecord<Row>, Writer) throws -> Void
  @usableFromInline let readBack: @Sendable (SaidRecord<Row>, Reader) throws -> StoredShape?

  /// Describes a kind of record.
  ///
  /// - Parameters:
  ///   - name, table, fields: see the properties.
  ///   - key: the key of a row as text. The same key means the same row, now and in a later import.
  ///   - parent: the record that this one is a part of. Default: none.
  ///   - ids: the names of compared values that are not among the fields and stand before them, such as the record's own id. Default: none.
  ///   - storedIDs: the values of `ids` for a stored row, in their order.
  ///   - place: the rule of the record's place in a list, which is compared after the fields. Default: it has none.
  ///   - modifiedAt: the time of a row's last change. Of source and store, the newer one counts. Default: rows have no such time.
  ///   - storedAt: the same for a stored row, in milliseconds since 1970, where the store knows it in another way. Default: `modifiedAt`.
  ///   - shown: a stored row as it is compared, for example with an id of the source's instead of the store's. Default: as it is.
  ///   - find: the stored row with the key of the source's row; nil when there is none.
  ///   - check: throws `.constraint` when a stored row with the key of the source's row, its first argument, is another record, for example
  ///     because it has another parent. Default: it never is.
  ///   - isReplaced: whether the source's row replaces the stored one, which then is not looked for. Default false: the stored row gets only
  ///     the fields that the source gives.
  ///   - save: inserts or updates a row. Its second argument is the stored row: nil for a new row, and for a kind that is replaced.
  @inlinable
  public init(
    _ name: String, table: String, _ fields: FieldTable<Row>, key: @escaping @Sendable (Row) -> String,
    parent: @escaping @Sendable (Row) -> Parent? = { _ in nil }, ids: [String] = [],
    storedIDs: @escaping @Sendable (Row, Reader) throws -> [JSONValue] = { _, _ in [] }, place: RecordPlace<Row>? = nil,
    modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil }, storedAt: (@Sendable (Row, Reader) throws -> Int64?)? = nil,
    shown: @escaping @Sendable (Row, Reader) throws -> Row = { row, _ in row },
    find: @escaping @Sendable (SaidRow<Row>, Reader) throws -> Row?, check: @escaping @Sendable (Row, Row) throws -> Void = { _, _ in },
    isReplaced: Bool = false, save: @escaping @Sendable (Row, Row?, Writer) throws -> Void
  ) {
    (self.name, self.table, self.fields, self.key, self.parent) = (name, table, fields, key, parent)
    (self.ids, self.place, self.modifiedAt) = (ids, place, modifiedAt)
    write = { record, tx in
      let said = record.said
      var row = said.row
      let stored = try isReplaced ? nil : find(said, tx)
      if let stored {
        try check(row, stored)
        row = fields.merged(said, into: stored)
      }
      try place?.put(&row, said.row, record.isPlaceFree, table, tx)
      try save(row, stored, tx)
    }
    readBack = { record, reader in
      guard let stored = try find(record.said, reader).map({ try shown($0, reader) }) else { return nil }
      return StoredShape(
        fields: try Self.compared(ids, storedIDs(stored, reader), fields.shape(of: stored, as: record.said), place, stored),
        modifiedAt: try storedAt.map { try $0(stored, reader) } ?? modifiedAt(stored).flatMap(DateCodec.milliseconds))
    }
  }

  @inlinable
  static func compared(
    _ names: [String], _ ids: [JSONValue], _ said: [SourceField], _ place: RecordPlace<Row>?, _ row: Row
  ) -> [SourceField] {
    guard !names.isEmpty || place != nil else { return said }
    var fields: [SourceField] = []
    fields.reserveCapacity(names.count + said.count + 1)
    for (name, id) in zip(names, ids) { fields.append(SourceField(name, id)) }
    fields += said
    if let place { fields.append(place.field(row)) }
    return fields
  }

  /// A record of this kind, for `visit`.
  ///
  /// - Parameters:
  ///   - said: the source's row.
  ///   - ids: the values of the kind's `ids` as the source spells them, in their order.
  ///   - isPlaceFree: whether it is known that no other row has the record's place: then the store is not asked. Default false.
  ///   - first: another record, which is written before this one each time, because it must be there. Default: none.
  ///   - path: the record's place in the source, for people.
  ///   - original: the record's bytes in the source, for the quarantine.
  ///   - note: a note for the report when the record is written. Default nil.
  @inlinable
  public func record(
    _ said: SaidRow<Row>, ids: [JSONValue] = [], isPlaceFree: Bool = false, after first: SaidContent? = nil, path: SourcePath,
    original: SourceBytes, note: String? = nil
  ) -> SourceRecord<SaidContent> {
    SourceRecord(
      kind: name, key: key(said.row), parent: parent(said.row), path: path,
      fields: Self.compared(self.ids, ids, said.fields, place, said.row),
      modifiedAt: modifiedAt(said.row).flatMap(DateCodec.milliseconds),
      content: SaidContent(SaidRecord(self, said, isPlaceFree, first)), original: original, note: note)
  }
}
