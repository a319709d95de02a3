public import Foundation
public import Holdfast

// snippet: garden-verbs
extension Garden {
  /// Adds a bed, or renames the one with its id.
  ///
  /// - Throws: `.constraint` for an empty name, and for the name of another bed.
  public func save(_ bed: Bed) async throws { try await store.write { try $0.upsert(bed) } }

  /// The beds by name, now and after each change.
  public func bedUpdates() -> Updates<[Bed]> { store.updates { try $0.all(Bed.self, "ORDER BY name") } }

  /// Adds a plant at the end of its bed, whatever its position.
  ///
  /// - Throws: `.constraint` for an empty name, for a bed that is not there, and for an id that is taken.
  public func add(_ plant: Plant) async throws {
    try await store.write { tx in
      var plant = plant
      plant.position = try Self.order(in: plant.bedID).position(in: tx)
      try tx.insert(plant)
    }
  }

  /// Moves a plant before another one of its bed, or to the end: one row.
  ///
  /// - Throws: `.notFound` when one of the two is not in the bed.
  public func move(_ plant: UUID, before other: UUID? = nil, in bed: UUID) async throws {
    _ = try await store.write { try Self.order(in: bed).move(plant, before: other, in: $0) }
  }

  /// Gives a plant other tags.
  ///
  /// - Throws: `.notFound` when there is no such plant.
  public func tag(_ plant: UUID, _ tags: [String]) async throws {
    try await store.write { try $0.update(Plant.self, id: plant, "tags = \(json: tags)") }
  }

  /// Deletes a plant with its waterings and photos. Returns whether there was one.
  @discardableResult
  public func delete(_ plant: UUID) async throws -> Bool { try await store.write { try $0.delete(Plant.self, id: plant) } }

  /// Writes that a plant was watered, now by the store's clock.
  ///
  /// - Throws: `.constraint` when there is no such plant, and for litres that are not more than 0.
  @discardableResult
  public func water(_ plant: UUID, litres: Double) async throws -> Watering {
    try await store.write { tx in
      let watering = Watering(id: tx.makeID(), plantID: plant, wateredAt: tx.currentDate(), litres: litres)
      try tx.insert(watering)
      return watering
    }
  }

  /// Adds a photo.
  ///
  /// - Throws: `.constraint` when there is no such plant.
  public func save(_ photo: Photo) async throws { try await store.write { try $0.upsert(photo) } }

  /// The photos of a plant, the newest first.
  public func photos(of plant: UUID) async throws -> [Photo] {
    try await store.read { try $0.all(Photo.self, "WHERE plant_id = \(plant) ORDER BY taken_at DESC, id DESC") }
  }

  /// The plants with every word of a text in name or variety, the best first.
  public func search(_ text: String) async throws -> [Plant] {
    try await store.read { try $0.search(Plant.self, in: "plants_search", for: text) }
  }

  /// The plants with a tag, by name.
  public func plants(tagged tag: String) async throws -> [Plant] {
    try await store.read { try $0.all(Plant.self, "ORDER BY name, id").filter { $0.tags.contains(tag) } }
  }

  private static func order(in bed: UUID) -> OrderedRows { OrderedRows("plants", of: "plant", where: "bed_id = \(bed)") }
}
// end

// snippet: garden-views
/// A plant as its bed shows it.
public struct PlantInBed: Sendable, Hashable {
  public var plant: Plant
  /// Nil when it was never watered.
  public var wateredAt: Date?
}

/// One month of the garden.
public struct GardenMonth: Sendable, Hashable {
  public var begins: Date
  public var waterings: Int
  public var litres: Double
}

extension Garden {
  /// The plants of a bed in their order, each with its last watering.
  public static func plants(in bed: UUID, in reader: Reader) throws -> [PlantInBed] {
    try reader.values(
      """
      SELECT \(columns: Plant.self), (SELECT max(watered_at) FROM waterings WHERE plant_id = plants.id)
      FROM plants WHERE bed_id = \(bed) ORDER BY position, id
      """
    ) { row in PlantInBed(plant: try Plant(row: &row), wateredAt: try row.dateOrNil()) }
  }

  /// The plants of a bed now, and after each change that they show.
  public func plantUpdates(in bed: UUID) -> Updates<[PlantInBed]> { store.updates { try Self.plants(in: bed, in: $0) } }

  /// The twelve months of a year, as the calendar of this place has them.
  public func months(of year: Int, in calendar: Calendar = .current) async throws -> [GardenMonth] {
    let starts = (1...13).compactMap { calendar.date(from: DateComponents(year: year, month: $0)) }
    return try await store.read { reader in
      try zip(starts, starts.dropFirst()).compactMap { begins, ends in
        try reader.value("SELECT count(*), total(litres) FROM waterings WHERE watered_at >= \(begins) AND watered_at < \(ends)") { row in
          GardenMonth(begins: begins, waterings: try row.int(), litres: try row.double())
        }
      }
    }
  }
}
// end
