import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A JSON document with several lists")
struct JSONListTests {
  private struct Bed: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "beds"
    var id: UUID
    var name: String
  }

  private struct Plant: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "plants"
    var id: UUID
    var bedID: UUID
    var name: String
  }

  private struct Garden: Library {
    static let schema = StoreSchema(
      "garden",
      migrations: [
        Migration(
          "garden/001",
          sql: """
            CREATE TABLE beds (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL CHECK (name <> '')) STRICT;
            CREATE TABLE plants (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bed_id TEXT NOT NULL REFERENCES beds (id), name TEXT NOT NULL) STRICT;
            """)
      ], records: [Bed.self, Plant.self])
    let store: Store
    init(_ store: Store) { self.store = store }
  }

  private static func format(_ document: JSONDocument) throws -> JSONListImport {
    return try JSONListImport(
      "garden-json", document,
      [
        .list("beds", of: "a bed", [.required("id", \.id, .id), .required("name", \.name, .text)] as FieldTable<Bed>),
        .list(
          "plants", of: "a plant",
          [.required("id", \.id, .id), .required("bed", \.bedID, .id), .required("name", \.name, .text)] as FieldTable<Plant>),
      ])
  }

  private func world() throws -> ImportWorld<Garden> {
    try ImportWorld("garden.json") { wanted in
      let source = try ImportSource(wanted.source)
      return try Store.importing(
        Self.format(source.document()), from: source, into: wanted.store, schemas: [Garden.schema], options: wanted.options,
        storeOptions: wanted.storeOptions)
    }
  }

  @Test("parents are written first, wherever their list stands; what belongs to a refused one is refused with that reason")
  func parents() async throws {
    let world = try world()
    let (bed, plant) = ("7c9e6679-7425-40de-944b-0000000000b", "7c9e6679-7425-40de-944b-0000000000c")
    let json = """
      {"plants": [
         {"id": "\(plant)1", "bed": "\(bed)1", "name": "Basil"}, {"id": "\(plant)2", "bed": "\(bed)2", "name": "Rose"},
         {"id": "\(plant)1", "bed": "\(bed)1", "name": "Basil"}, {"bed": "\(bed)1", "name": "Sage"},
         {"id": "\(plant)3", "bed": "\(bed)3", "name": "Thyme"}],
       "year": 2026,
       "beds": [{"id": "\(bed)1", "name": "Kitchen"}, {"id": "\(bed)2", "name": ""}, {"id": "\(bed)3", "name": 5}]}
      """
    #expect(
      try world.importing(json) == """
        beds 3: 1 imported, 2 quarantined
        plants 5: 1 imported, 1 skipped, 3 quarantined
        skipped 1: a repetition in the source
        $.year: this field is not known
        $.beds[1]: beds: CHECK constraint failed: name <> ''
        $.beds[2]: name should be a text, found 5
        $.plants[1]: the record that it belongs to is quarantined
        $.plants[3]: id is missing
        $.plants[4]: the record that it belongs to is quarantined
        """)
    let plants = try await world.usingLibrary { try await $0.store.read { try $0.all(Plant.self) } }
    #expect(plants.map(\.name) == ["Basil"])
  }

  @Test(
    "a document that lacks a list, or has one twice, is refused, and there is no store",
    arguments: [
      "{\"beds\": []}", "{\"beds\": [], \"plants\": {}}", "{\"beds\": [], \"plants\": [], \"beds\": []}", "{\"beds\": [], \"plants\": [",
    ])
  func refused(json: String) throws {
    #expect(try world().failure(json).code == .invalidSource)
  }
}
