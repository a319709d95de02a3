import Holdfast

/// Retries an import's quarantined entries during an import of the same source or a repaired one; releases the imported ones.
struct QuarantineRetry {
  private struct Place: Hashable {
    var kind: String
    var field: String
    var path: String
  }

  /// The identity of the earlier import's source. The present source is an edition of it.
  let origin: String
  private let importID: String
  /// The places of the quarantined entries in the source, with their numbers.
  private let places: [Place: [Int64]]
  /// The kinds and paths of those places, without the fields.
  private let paths: Set<Place>
  private var cameIn: Set<Place> = []
  private var refusedAgain: Set<Place> = []

  /// - Throws: `.notFound` when there was no such import; `.wrongKind` when it had another format.
  init(of importID: String, _ format: String, _ reader: Reader) throws {
    let found = try reader.value("SELECT source_path, source_sha256, format FROM holdfast_imports WHERE id = \(importID)") { row in
      (source: try row.text(), sha256: try row.text(), format: try row.text())
    }
    guard let found else { throw StoreError(.notFound, "there was no import \(importID)") }
    guard found.format == format else {
      throw StoreError(.wrongKind, "the import \(importID) was of the format \(found.format), and this source is of \(format)")
    }
    self.importID = importID
    origin = ImportSource.origin(path: found.source, sha256: found.sha256)
    var places: [Place: [Int64]] = [:]
    try reader.rows("SELECT id, kind, field, path FROM holdfast_quarantine WHERE import_id = \(importID)") { row in
      let id = try row.int64()
      places[Place(kind: try row.text(), field: try row.text(), path: try row.text()), default: []].append(id)
    }
    self.places = places
    paths = Set(places.keys.map { Place(kind: $0.kind, field: "", path: $0.path) })
  }

  /// Call for each record that was written.
  mutating func came(_ kind: String, _ path: SourcePath) {
    let place = Place(kind: kind, field: "", path: path.description)
    if paths.contains(place) { cameIn.insert(place) }
  }

  /// Call for each record or field that was not written.
  mutating func refused(_ kind: String, _ field: String?, _ path: SourcePath) {
    let place = Place(kind: kind, field: field ?? "", path: path.description)
    if places[place] != nil { refusedAgain.insert(place) }
  }

  /// Deletes the imported entries from the quarantine. Returns their number.
  func release(_ tx: Writer) throws -> Int {
    let released = places.filter { place, _ in
      cameIn.contains(Place(kind: place.kind, field: "", path: place.path)) && !refusedAgain.contains(place)
    }.flatMap(\.value)
    return try tx.execute("DELETE FROM holdfast_quarantine WHERE id IN \(released)")
  }
}
