public import Foundation
public import Holdfast

// snippet: garden-records
/// A bed of the garden. No two have one name.
public struct Bed: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "beds"
  public var id: UUID
  public var name: String

  public init(id: UUID, name: String) { (self.id, self.name) = (id, name) }
}

/// A plant in its bed.
public struct Plant: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "plants"
  public var id: UUID
  public var bedID: UUID
  /// Only the order of positions has a meaning.
  public var position: Int64
  public var name: String
  public var variety: String?
  /// Nil when nobody knows.
  public var sownAt: Date?
  /// Without repetitions, in people's own order.
  public var tags: [String]

  public init(
    id: UUID, bedID: UUID, position: Int64 = 0, name: String, variety: String? = nil, sownAt: Date? = nil, tags: [String] = []
  ) {
    (self.id, self.bedID, self.position, self.name) = (id, bedID, position, name)
    (self.variety, self.sownAt, self.tags) = (variety, sownAt, tags)
  }
}

/// One watering of one plant.
public struct Watering: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "waterings"
  public var id: UUID
  public var plantID: UUID
  public var wateredAt: Date
  /// More than 0.
  public var litres: Double

  public init(id: UUID, plantID: UUID, wateredAt: Date, litres: Double) {
    (self.id, self.plantID, self.wateredAt, self.litres) = (id, plantID, wateredAt, litres)
  }
}

/// A photo of a plant, with its bytes.
public struct Photo: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "photos"
  public var id: UUID
  public var plantID: UUID
  public var takenAt: Date
  public var jpeg: Data

  public init(id: UUID, plantID: UUID, takenAt: Date, jpeg: Data) {
    (self.id, self.plantID, self.takenAt, self.jpeg) = (id, plantID, takenAt, jpeg)
  }
}
// end
