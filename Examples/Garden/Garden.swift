public import Holdfast

// snippet: garden-library
/// The journal of a garden: beds, plants in order, waterings, photos.
public struct Garden: Library {
  public let store: Store
  public init(_ store: Store) { self.store = store }

  /// The present schema. The first migration shipped with the first version, and is never edited.
  public static let schema = StoreSchema(
    "garden",
    migrations: [
      Migration(
        "garden/001-beds",
        sql: """
          CREATE TABLE beds (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE CHECK (name <> '')
          ) STRICT;
          CREATE TABLE plants (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            bed_id TEXT NOT NULL REFERENCES beds (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            name TEXT NOT NULL CHECK (name <> ''),
            sown_at INTEGER
          ) STRICT;
          CREATE INDEX plants_by_position ON plants (bed_id, position, id);
          CREATE TABLE waterings (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            plant_id TEXT NOT NULL REFERENCES plants (id) ON DELETE CASCADE,
            watered_at INTEGER NOT NULL,
            litres REAL NOT NULL CHECK (litres > 0)
          ) STRICT;
          CREATE INDEX waterings_by_plant ON waterings (plant_id, watered_at, id);
          CREATE INDEX waterings_by_time ON waterings (watered_at, litres);
          """),
      Migration(
        "garden/002-photos",
        sql: """
          CREATE TABLE photos (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            plant_id TEXT NOT NULL REFERENCES plants (id) ON DELETE CASCADE,
            taken_at INTEGER NOT NULL,
            jpeg BLOB NOT NULL
          ) STRICT;
          CREATE INDEX photos_by_plant ON photos (plant_id, taken_at, id);
          """),
      Migration(
        "garden/003-varieties",
        sql: """
          ALTER TABLE plants ADD COLUMN variety TEXT;
          ALTER TABLE plants ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
          """),
      // Declares what syncs.
      Migration("garden/004-sync", sql: ""),
    ],
    records: [Bed.self, Plant.self, Watering.self, Photo.self],
    // Photos stay on the device that took them.
    declarations: [
      .fullText("plants_search", of: "plants", ["name", "variety"]), .synced("beds"), .synced("plants"), .synced("waterings"),
    ])
}
// end
