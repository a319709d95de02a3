import Foundation
import Holdfast

/// A library that this program does not know.
enum Garden {
  struct Bed: StoredRecord, Codable {
    static let table = "beds"
    var id: UUID
    var aboveID: UUID?
    var name: String
    var dugAt: Date?
  }

  struct Plant: StoredRecord, Codable, Equatable {
    static let table = "plants"
    var id: UUID
    var bedID: UUID
    var plantedAt: Date
    var isWild: Bool
    var labels: [String]
    var height: Double?
    var photo: Data?
  }

  struct PlantTag: StoredRecord, Codable {
    static let table = "plant_tags"
    static let key = ["plant_id", "tag"]
    var plantID: UUID
    var tag: String
  }

  static let schema = StoreSchema(
    "garden",
    migrations: [
      Migration(
        "garden/001",
        sql: """
          CREATE TABLE beds (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, above_id TEXT REFERENCES beds (id),
            name TEXT NOT NULL CHECK (name <> ''), dug_at INTEGER, letters INTEGER GENERATED ALWAYS AS (length(name)) VIRTUAL) STRICT;
          CREATE TABLE plants (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bed_id TEXT NOT NULL REFERENCES beds (id), planted_at INTEGER NOT NULL,
            is_wild INTEGER NOT NULL, labels TEXT NOT NULL DEFAULT '[]', height REAL, photo BLOB) STRICT;
          CREATE TABLE plant_tags (
            plant_id TEXT NOT NULL REFERENCES plants (id), tag TEXT NOT NULL, PRIMARY KEY (plant_id, tag)) STRICT, WITHOUT ROWID;
          CREATE TRIGGER plants_grow AFTER INSERT ON plants WHEN new.height > 99 BEGIN
            UPDATE plants SET height = 99 WHERE id = new.id;
          END;
          CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY, text TEXT) STRICT;
          """)
    ], records: [Bed.self, Plant.self, PlantTag.self])
}
