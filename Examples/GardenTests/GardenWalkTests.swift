import Foundation
import GardenExample
import Holdfast
import HoldfastTesting
import Testing

/// A garden's journal, and `holdfast`, which does not know it.
@Suite("A journal and a program that does not know it") struct GardenWalkTests {
  /// With an audit of the plants. In an app the declaration goes into the schema itself.
  private static let audited = StoreSchema(
    "garden", migrations: Garden.schema.migrations, records: Garden.schema.records,
    declarations: Garden.schema.declarations + [.audit("plants", unaudited: ["rowid"])])
  private static let kitchen = Bed(id: NewID.derived(from: "kitchen"), name: "Kitchen")
  private static let basil = Plant(
    id: NewID.derived(from: "basil"), bedID: kitchen.id, name: "Basil", variety: "Genovese",
    sownAt: Date(timeIntervalSince1970: 1_770_000_000),
    tags: ["herb"])
  private static let thyme = Plant(id: NewID.derived(from: "thyme"), bedID: kitchen.id, name: "Thyme")

  private let programs: Programs

  init() throws { programs = try Programs() }

  private func open(_ name: String) throws -> Garden {
    var options = StoreOptions.production
    options.archive.mode = .begins
    let store = try Store.open(at: programs.folder.file(name), schemas: [Self.audited], options: options)
    _ = try store.archive()
    return Garden(store)
  }

  /// A store with a bed, two plants, a watering and a photo.
  private func fill(_ name: String) async throws {
    let garden = try open(name)
    try await garden.save(Self.kitchen)
    for plant in [Self.basil, Self.thyme] { try await garden.add(plant) }
    try await garden.water(Self.basil.id, litres: 1.5)
    try await garden.save(
      Photo(id: NewID.derived(from: "photo"), plantID: Self.basil.id, takenAt: Date(timeIntervalSince1970: 0), jpeg: Data([255, 216])))
    try garden.store.close()
  }

  private func holdfast(_ arguments: String..., status: Int32 = 0) throws -> String {
    try programs.run("holdfast", arguments, status: status)
  }

  private func lines(_ table: String, of store: String) throws -> [Substring] {
    // Without the number of a row, which only its file gives.
    try holdfast("list", store, table, "--tsv").split(separator: "\n").map { $0.drop { $0 != "\t" } }.sorted()
  }

  @Test("it lists, searches and queries a journal, and exports it to CSV, with dates that people can read")
  func looking() async throws {
    try await fill("garden.sqlite")
    let list = try holdfast("list", "garden.sqlite", "plants")
    #expect(list.contains("Basil") && list.contains("2026-02-02T02:40:00Z") && list.contains("herb"), "\(list)")
    #expect(try holdfast("show", "garden.sqlite", "kitchen").contains("Genovese"))
    #expect(try holdfast("search", "garden.sqlite", "geno").contains("Basil"))
    let query = try holdfast("query", "garden.sqlite", "SELECT name, sown_at FROM plants ORDER BY name LIMIT 1")
    #expect(query.contains("Basil") && query.contains("2026-02-02T02:40:00Z"), "\(query)")
    #expect(try holdfast("stats", "garden.sqlite").contains("waterings"))
    _ = try holdfast("export", "garden.sqlite", "--to", "plants.csv", "--format", "csv", "--list", "plants")
    let csv = try String(contentsOf: programs.folder.file("plants.csv"), encoding: .utf8)
    #expect(csv.hasPrefix("rowid,id,bed_id,position,name") && csv.contains("2026-02-02T02:40:00.000Z"), "\(csv)")
  }

  @Test("it looks at a journal's history, audit and differences, with dates that people can read")
  func lookingBack() async throws {
    try await fill("garden.sqlite")
    #expect(try holdfast("history", "garden.sqlite").contains("waterings"))
    let audit = try holdfast("audit", "garden.sqlite")
    #expect(audit.contains("add(_:)") && audit.contains("sown_at: 2026-02-02T02:40:00Z"), "\(audit)")
    let differences = try holdfast("diff", "garden.sqlite", "--from", "commit 0", "--rows", "plants")
    #expect(differences.contains("Basil") && differences.contains("2026-02-02T02:40:00"), "\(differences)")
    for text in [audit, differences] { #expect(!text.contains("1770000000"), "\(text)") }
  }

  @Test("it moves a journal into a store that the app has made; the app finds everything there; each reads the other's export, too")
  func moving() async throws {
    try await fill("garden.sqlite")
    _ = try holdfast("export", "garden.sqlite", "--to", "export.json")
    _ = try holdfast("import", "export.json", "--into", "new.sqlite", status: 65)
    try open("new.sqlite").store.close()
    #expect(try holdfast("import", "export.json", "--into", "new.sqlite").contains("plants"))
    for table in ["beds", "plants", "waterings", "photos"] {
      #expect(try lines(table, of: "new.sqlite") == lines(table, of: "garden.sqlite"), "\(table)")
    }
    #expect(try holdfast("search", "new.sqlite", "geno").contains("Basil"))
    let audit = try holdfast("audit", "new.sqlite")
    #expect(audit.contains("another program  insert") && audit.contains("Basil"), "\(audit)")
    let moved = try open("new.sqlite")
    let plants = try await moved.store.read { try Garden.plants(in: Self.kitchen.id, in: $0) }
    #expect(plants.map(\.plant.name) == ["Basil", "Thyme"] && plants.map { $0.wateredAt != nil } == [true, false])
    #expect(try await moved.store.integrityCheck().isHealthy)
    try moved.store.close()
    _ = try programs.run("garden", ["import", "export.json", "--into", "own.sqlite"])
    #expect(try lines("plants", of: "own.sqlite") == lines("plants", of: "garden.sqlite"))
    _ = try programs.run("garden", ["export", "own.sqlite", "--to", "own.json"])
    try open("third.sqlite").store.close()
    _ = try holdfast("import", "own.json", "--into", "third.sqlite")
    #expect(try lines("plants", of: "third.sqlite") == lines("plants", of: "garden.sqlite"))
  }
}
