import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A kind of record")
struct RecordKindTests {
  private struct Plant: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "plants"
    var id: UUID
    var bedID: UUID
    var name: String
    var note: String?
    var position: Int64
  }

  private static let schema = StoreSchema(
    "garden",
    migrations: [
      Migration(
        "garden/001",
        sql: """
          CREATE TABLE plants (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bed_id TEXT NOT NULL, name TEXT NOT NULL, note TEXT, position INTEGER NOT NULL
          ) STRICT;
          """)
    ], records: [Plant.self])

  private static func kind(isReplaced: Bool = false) -> RecordKind<Plant> {
    RecordKind(
      "plants", table: Plant.table, [.required("name", \.name, .text), .optional("note", \.note, .text, .keeps)],
      key: { IDCodec.lowercase($0.id) }, parent: { .init(kind: "beds", key: IDCodec.lowercase($0.bedID)) }, ids: ["bed"],
      storedIDs: { row, _ in [.id(row.bedID)] }, place: .list(\.position) { "bed_id = \($0.bedID) AND id <> \($0.id)" },
      find: { try $1.find(Plant.self, id: $0.row.id) },
      check: { if $0.bedID != $1.bedID { throw StoreError(.constraint, "it is in another bed") } }, isReplaced: isReplaced,
      save: { plant, _, tx in try tx.upsert(plant) })
  }

  private let folder: TemporaryFolder
  private let store: Store
  private let bed = NewID.derived(from: "bed")
  private let leek: Plant

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store([Self.schema])
    let leek = Plant(id: NewID.derived(from: "leek"), bedID: bed, name: "Leek", note: "old", position: ListPlace.position(at: 0))
    try store.write { try $0.insert(leek) }
    self.leek = leek
  }

  private func record(
    _ plant: Plant, only names: Set<String>? = nil, isReplaced: Bool = false, isPlaceFree: Bool = false, after first: SaidContent? = nil
  ) -> SourceRecord<SaidContent> {
    let kind = Self.kind(isReplaced: isReplaced)
    return kind.record(
      kind.fields.said(plant, only: names), ids: [.id(plant.bedID)], isPlaceFree: isPlaceFree, after: first, path: .text("plant"),
      original: .bytes([]))
  }

  private func write(_ record: SourceRecord<SaidContent>) throws -> [Plant] {
    try store.write { try record.content.write(in: $0) }
    return try store.read { try $0.all(Plant.self, "ORDER BY position, name") }
  }

  @Test("a stored row gets only the fields that the source gives; where the kind is replaced, it keeps nothing")
  func saving() throws {
    var onion = leek
    (onion.name, onion.note) = ("Onion", nil)
    #expect(try write(record(onion, only: ["name"])).map(\.note) == ["old"])
    #expect(try write(record(onion, only: ["name"], isReplaced: true)) == [onion])
  }

  @Test("a row of the same id under another parent is refused")
  func otherParent() throws {
    var moved = leek
    moved.bedID = NewID.derived(from: "another bed")
    let error = #expect(throws: StoreError.self) { _ = try write(record(moved)) }
    #expect(error?.code == .constraint && error?.message == "it is in another bed")
  }

  @Test("ids stand before the fields and the place behind them, in the record and in what is read back")
  func comparing() throws {
    let source = record(leek)
    #expect(source.key == IDCodec.lowercase(leek.id) && source.parent == .init(kind: "beds", key: IDCodec.lowercase(bed)))
    #expect(source.fields.map(\.name) == ["bed", "name", "note", "place"])
    #expect(try store.read { try source.content.readBack(in: $0)?.fields } == source.fields)
    var other = leek
    other.id = NewID.derived(from: "other")
    #expect(try store.read { try record(other).content.readBack(in: $0)?.fields } == nil)
  }

  @Test("a taken place becomes the next free one, unless the place is said to be free; another record is written first")
  func places() throws {
    var (second, third) = (leek, leek)
    (second.id, second.name) = (NewID.derived(from: "second"), "Second")
    (third.id, third.name) = (NewID.derived(from: "third"), "Third")
    let stored = try write(record(third, isPlaceFree: true, after: record(second).content))
    #expect(stored.map(\.name) == ["Leek", "Third", "Second"])
    #expect(stored.map(\.position) == [leek.position, leek.position, leek.position + 1])
  }
}
