import Foundation
import GardenExample
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A garden's journal") struct GardenTests {
  private static let kitchen = Bed(id: NewID.derived(from: "kitchen"), name: "Kitchen")
  private static let basil = plant("Basil", "Genovese", ["herb", "indoors"])
  private static let thyme = plant("Thyme", nil, ["herb"])
  private static let tomato = plant("Tomato", "Black Krim", [])

  private static func plant(_ name: String, _ variety: String?, _ tags: [String]) -> Plant {
    Plant(
      id: NewID.derived(from: name), bedID: kitchen.id, name: name, variety: variety, sownAt: Date(timeIntervalSince1970: 1_770_000_000),
      tags: tags)
  }

  private static func fill(_ garden: Garden) async throws {
    try await garden.save(kitchen)
    for plant in [basil, thyme, tomato] { try await garden.add(plant) }
    try await garden.water(basil.id, litres: 0.5)
    try await garden.save(
      Photo(
        id: NewID.derived(from: "photo"), plantID: basil.id, takenAt: Date(timeIntervalSince1970: 1_771_000_000), jpeg: Data([255, 216])))
  }

  private let clock = TestClock()

  private func garden(in folder: TemporaryFolder? = nil) async throws -> Garden {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    let garden = try folder.map { try Garden.open(at: $0.file("garden.sqlite"), options: options) } ?? .inMemory(options: options)
    try await Self.fill(garden)
    return garden
  }

  private func names(_ garden: Garden) async throws -> [String] {
    try await garden.store.read { try Garden.plants(in: Self.kitchen.id, in: $0) }.map(\.plant.name)
  }

  @Test("plants stand in people's order, each with its last watering; a plant goes with its waterings and photos")
  func plants() async throws {
    let garden = try await garden()
    #expect(try await names(garden) == ["Basil", "Thyme", "Tomato"])
    try await garden.move(Self.tomato.id, before: Self.thyme.id, in: Self.kitchen.id)
    try await garden.move(Self.basil.id, in: Self.kitchen.id)
    clock.advance()
    let watering = try await garden.water(Self.basil.id, litres: 2)
    let plants = try await garden.store.read { try Garden.plants(in: Self.kitchen.id, in: $0) }
    #expect(plants.map(\.plant.name) == ["Tomato", "Thyme", "Basil"])
    #expect(plants.map(\.wateredAt) == [nil, nil, watering.wateredAt])
    #expect(try await garden.delete(Self.basil.id))
    let left = try await garden.store.read { try ($0.all(Watering.self).count, $0.all(Photo.self).count) }
    #expect(left.0 == 0 && left.1 == 0)
  }

  @Test("plants are found by words of name and variety, and by tag")
  func finding() async throws {
    let garden = try await garden()
    #expect(try await garden.search("krim tom").map(\.name) == ["Tomato"])
    #expect(try await garden.plants(tagged: "herb").map(\.name) == ["Basil", "Thyme"])
    try await garden.tag(Self.thyme.id, ["for \"tea\"", "ground"])
    #expect(try await garden.plants(tagged: "herb").map(\.name) == ["Basil"])
    #expect(try await garden.plants(tagged: "for \"tea\"").first?.tags == ["for \"tea\"", "ground"])
    #expect(try await garden.photos(of: Self.basil.id).map(\.jpeg) == [Data([255, 216])])
  }

  @Test("what the garden cannot hold is refused with the code that the verb names")
  func refusals() async throws {
    let garden = try await garden()
    let nobody = NewID.derived(from: "nobody")
    func code(_ verb: () async throws -> Void) async -> StoreError.Code? {
      await #expect(throws: StoreError.self) { try await verb() }?.code
    }
    #expect(await code { try await garden.save(Bed(id: nobody, name: "Kitchen")) } == .constraint)
    #expect(await code { try await garden.water(Self.basil.id, litres: 0) } == .constraint)
    #expect(await code { try await garden.water(nobody, litres: 1) } == .constraint)
    #expect(await code { try await garden.tag(nobody, []) } == .notFound)
    #expect(await code { try await garden.move(nobody, in: Self.kitchen.id) } == .notFound)
    #expect(try await names(garden) == ["Basil", "Thyme", "Tomato"])
  }

  @Test("a month has the waterings of its days, as the calendar of the place has them")
  func months() async throws {
    let garden = try await garden()
    var berlin = Calendar(identifier: .gregorian)
    berlin.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    // 23:30 UTC on 31 March is 1 April in Berlin.
    for (time, litres) in [("2026-03-31T21:59:59Z", 1.0), ("2026-03-31T23:30:00Z", 2), ("2026-04-15T12:00:00Z", 4)] {
      let date = try #require(DateCodec.parseISO8601(time).flatMap { DateCodec.date(milliseconds: $0) })
      try await garden.store.write { tx in
        try tx.insert(Watering(id: tx.makeID(), plantID: Self.thyme.id, wateredAt: date, litres: litres))
      }
    }
    let months = try await garden.months(of: 2026, in: berlin)
    #expect(months.count == 12)
    #expect(months[2].waterings == 1 && months[2].litres == 1)
    #expect(months[3].waterings == 2 && months[3].litres == 6)
    #expect(months[4].waterings == 0 && months[4].litres == 0)
  }

  @Test("a screen follows its beds and the plants of one")
  func updates() async throws {
    let garden = try await garden()
    func read() async throws -> [PlantInBed] { try await garden.store.read { try Garden.plants(in: Self.kitchen.id, in: $0) } }
    try await UpdatesCheck.follow(garden.plantUpdates(in: Self.kitchen.id), reading: read) {
      try await garden.water(Self.tomato.id, litres: 1)
    }
    func beds() async throws -> [Bed] { try await garden.store.read { try $0.all(Bed.self, "ORDER BY name") } }
    try await UpdatesCheck.follow(garden.bedUpdates(), reading: beds) { try await garden.save(Bed(id: NewID.v7(), name: "Attic")) }
  }

  @Test("a snapshot is restored, a rewind goes back to before a deletion, and what was exported comes back equal")
  func goingBack() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let garden = try Garden.open(at: folder.file("garden.sqlite"), options: options)
    try await Self.fill(garden)
    let snapshot = try await garden.store.snapshot()
    try await garden.delete(Self.thyme.id)
    _ = try await garden.store.restore(snapshot: snapshot.id)
    #expect(try await names(garden) == ["Basil", "Thyme", "Tomato"])
    try await garden.store.label("before the frost")
    try await garden.delete(Self.basil.id)
    try await garden.store.rewind(to: .label("before the frost"))
    _ = try garden.export(to: folder.file("garden.json"))
    #expect(try await Garden.importLibrary(from: folder.file("garden.json"), into: folder.file("copy.sqlite")).isClean)
    let copy = try Garden.open(at: folder.file("copy.sqlite"), options: .testing)
    for garden in [garden, copy] {
      #expect(try await names(garden) == ["Basil", "Thyme", "Tomato"])
      #expect(try await garden.photos(of: Self.basil.id).map(\.jpeg) == [Data([255, 216])])
      try garden.store.close()
    }
  }

  @Test("a file of the first version gets photos, varieties and tags, and keeps its plants")
  func migration() async throws {
    let folder = try TemporaryFolder()
    let first = StoreSchema("garden", migrations: Array(Garden.schema.migrations.prefix(1)))
    let old = try folder.store([first], name: "garden.sqlite")
    try await old.write { tx in
      try tx.insert(Self.kitchen)
      try tx.execute("INSERT INTO plants (id, bed_id, position, name) VALUES (\(Self.basil.id), \(Self.kitchen.id), 7, 'Basil')")
    }
    try old.close()
    let garden = try Garden.open(at: folder.file("garden.sqlite"), options: .testing)
    let plants = try await garden.store.read { try $0.all(Plant.self) }
    #expect(plants == [Plant(id: Self.basil.id, bedID: Self.kitchen.id, position: 7, name: "Basil")])
    #expect(try await garden.search("bas").count == 1)
    #expect(try await garden.store.integrityCheck().isHealthy)
    try garden.store.close()
  }

  @Test("garden.json keeps what every import promises", arguments: ImportCheck.allCases)
  func imports(_ check: ImportCheck) throws {
    let conformance = ImportConformance<Garden>(
      "garden.json", records: ImportKind("beds", title: "name"), children: ImportKind("plants", title: "name")
    ) { samples, file in
      let beds = samples.filter { $0.parent == nil }.map { bed in
        #"{"id": "\#(bed.isDamaged ? "?" : bed.id.uuidString)", "name": "\#(bed.title)"}"#
      }
      var (plants, waterings) = ([String](), [String]())
      for plant in samples {
        guard let bed = plant.parent else { continue }
        let place = plant.isDamaged ? "\"first\"" : "1"
        plants.append(#"{"id": "\#(plant.id)", "bed": "\#(bed)", "place": \#(place), "name": "\#(plant.title)"}"#)
        let id = NewID.derived(from: "watering of \(plant.id)")
        waterings.append(#"{"id": "\#(id)", "plant": "\#(plant.id)", "at": "2026-05-01T06:00:00Z", "litres": 1.5}"#)
      }
      let lists = [("beds", beds), ("plants", plants), ("waterings", waterings)]
      let members = lists.map { name, list in #""\#(name)": [\#(list.joined(separator: ", "))]"# }
      try Data("{\(members.joined(separator: ", "))}".utf8).write(to: file)
    }
    try conformance.run(check)
  }

  @Test("what can be read is imported; a broken record and what belongs to it are told and kept")
  func importing() async throws {
    let world = try ImportWorld<Garden>("garden.json") {
      try Garden.importLibrary(from: $0.source, into: $0.store, options: $0.options, storeOptions: $0.storeOptions)
    }
    let (bed, plant) = ("7c9e6679-7425-40de-944b-0000000000b", "7c9e6679-7425-40de-944b-0000000000c")
    let json = """
      {"waterings": [
         {"id": "7c9e6679-7425-40de-944b-000000000001", "plant": "\(plant)1", "at": "2026-05-01T06:00:00Z", "litres": 1.5},
         {"id": "7c9e6679-7425-40de-944b-000000000002", "plant": "\(plant)3", "at": "2026-05-01T06:00:00Z", "litres": 1},
         {"id": "7c9e6679-7425-40de-944b-000000000003", "plant": "\(plant)1", "at": "in May", "litres": 1},
         {"id": "7c9e6679-7425-40de-944b-000000000004", "plant": "\(plant)1", "at": "2026-05-02T06:00:00Z", "litres": -1}],
       "beds": [{"id": "\(bed)1", "name": "Kitchen"}, {"id": "\(bed)2"}],
       "plants": [
         {"id": "\(plant)1", "bed": "\(bed)1", "place": 2, "name": "Basil", "variety": "Genovese", "tags": ["herb"], "sown": null},
         {"id": "\(plant)2", "bed": "\(bed)1", "place": 1, "name": "Thyme", "colour": "green"},
         {"id": "\(plant)3", "bed": "\(bed)2", "place": 1, "name": "Rose"}]}
      """
    let picture = """
      beds 2: 1 imported, 1 quarantined
      plants 3: 2 imported, 1 quarantined
      waterings 4: 1 imported, 3 quarantined
      $.beds[1]: name is missing
      $.plants[1].colour: this field is not known
      $.plants[2]: the record that it belongs to is quarantined
      $.waterings[1]: the record that it belongs to is quarantined
      $.waterings[2]: at should be a date, found "in May"
      $.waterings[3]: waterings: CHECK constraint failed: litres > 0
      """
    #expect(try world.importing(json) == picture)
    let found = try await world.usingLibrary { garden in
      let bed = try await garden.store.read { try $0.all(Bed.self) }[0]
      return try await garden.store.read { try Garden.plants(in: bed.id, in: $0) }
    }
    #expect(found.map(\.plant.name) == ["Thyme", "Basil"])
    #expect(found.map { $0.wateredAt != nil } == [false, true])
  }

  @Test("the journal keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    typealias Verb = LibraryVerb<Garden, Void>
    let (basil, thyme, tomato, kitchen) = (Self.basil.id, Self.thyme.id, Self.tomato.id, Self.kitchen.id)
    var bare = Self.thyme
    (bare.sownAt, bare.position) = (nil, 3)
    var conformance = LibraryConformance<Garden, Void>(
      fill: { world in try await Self.fill(world.library) },
      reads: [
        Verb(name: "photos") { garden, _ in _ = try await garden.photos(of: basil) },
        Verb(name: "search") { garden, _ in _ = try await garden.search("bas") },
        Verb(name: "plants with a tag") { garden, _ in _ = try await garden.plants(tagged: "herb") },
        Verb(name: "plants of a bed") { garden, _ in _ = try await garden.store.read { try Garden.plants(in: kitchen, in: $0) } },
        Verb(name: "months") { garden, _ in _ = try await garden.months(of: 2026) },
      ],
      writes: [
        Verb(name: "rename a bed", changes: ["beds"]) { garden, _ in try await garden.save(Bed(id: kitchen, name: "Herbs")) },
        Verb(name: "add a plant", changes: ["plants"]) { garden, _ in
          try await garden.add(Plant(id: NewID.v7(), bedID: kitchen, name: "Sage"))
        },
        Verb(name: "move a plant", changes: ["plants"]) { garden, _ in
          try await garden.move(thyme, in: kitchen)
        },
        Verb(name: "tag a plant", changes: ["plants"]) { garden, _ in try await garden.tag(thyme, ["evergreen"]) },
        Verb(name: "water a plant", changes: ["waterings"]) { garden, _ in try await garden.water(thyme, litres: 1) },
        Verb(name: "add a photo", changes: ["photos"]) { garden, _ in
          try await garden.save(Photo(id: NewID.v7(), plantID: thyme, takenAt: Date(timeIntervalSince1970: 0), jpeg: Data()))
        },
        Verb(name: "delete a plant", changes: ["plants"]) { garden, _ in try await garden.delete(tomato) },
        Verb(name: "delete nothing") { garden, _ in try await garden.delete(NewID.derived(from: "nothing")) },
      ],
      records: [
        Self.kitchen, Self.basil, bare, Watering(id: basil, plantID: thyme, wateredAt: clock.now, litres: 0.25),
        Photo(id: basil, plantID: thyme, takenAt: clock.now, jpeg: Data([1, 2])),
      ],
      updates: [
        LibraryUpdates(
          name: "beds", { garden, _ in garden.bedUpdates() },
          reading: { garden, _ in try await garden.store.read { try $0.all(Bed.self, "ORDER BY name") } }),
        LibraryUpdates(
          name: "plants", { garden, _ in garden.plantUpdates(in: kitchen) },
          reading: { garden, _ in try await garden.store.read { try Garden.plants(in: kitchen, in: $0) } }),
      ])
    conformance.description = Garden.description
    // People have some hundred plants.
    conformance.walks = ["plants with a tag": ["SCAN plants", "USE TEMP B-TREE FOR ORDER BY"]]
    let first = [
      "INSERT INTO beds (id, name) VALUES ('\(Self.kitchen.id)', 'Kitchen')",
      "INSERT INTO plants (id, bed_id, position, name, sown_at) VALUES ('\(basil)', '\(kitchen)', 1, 'Basil', 0)",
      "INSERT INTO waterings (id, plant_id, watered_at, litres) VALUES ('\(thyme)', '\(basil)', 5, 1.5)",
    ]
    let second = "INSERT INTO photos (id, plant_id, taken_at, jpeg) VALUES ('\(tomato)', '\(basil)', 5, x'ff')"
    conformance.olderRows = [1: first, 2: first + [second], 3: first + [second]]
    try await conformance.run(check)
  }

  @Test("devices that change the garden at once end with the same garden", arguments: SyncConformance<Garden>.seeds)
  func syncs(_ seed: UInt64) async throws {
    try await SyncConformance<Garden> { world in try await Self.fill(world.library) }.run(seed: seed)
  }
}
