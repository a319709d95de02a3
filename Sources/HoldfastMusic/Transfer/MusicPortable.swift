import Holdfast
import HoldfastTransfer

/// The documented export of a library. Its plays are rows of their own, which come after their tracks. So the count of a track follows from
/// its `base_plays` and from the plays of both sides, and is not compared. An export without `base_plays` is older: its counts are all there is.
struct MusicPortable: PortableFormat {
  let base: PortableImport

  func scan(_ reader: Reader, _ visit: (Scanned<PortableImport.Row>, Int) throws -> Void) throws {
    try base.scan(reader) { scanned, position in
      guard case .record(var record) = scanned, Self.basePlays(of: record) != nil else { return try visit(scanned, position) }
      record.fields.removeAll { $0.name == "play_count" }
      try visit(.record(record), position)
    }
  }

  func write(_ record: SourceRecord<PortableImport.Row>, in tx: Writer) throws {
    try base.write(record, in: tx)
    guard let plays = Self.basePlays(of: record) else { return }
    // Writing the count has changed it.
    try tx.execute("UPDATE tracks SET base_plays = \(plays) WHERE id = \(record.key)")
  }

  func readBack(_ record: SourceRecord<PortableImport.Row>, in reader: Reader) throws -> StoredShape? {
    var shape = try base.readBack(record, in: reader)
    if Self.basePlays(of: record) != nil { shape?.fields.removeAll { $0.name == "play_count" } }
    return shape
  }

  /// Nil for another kind of record, and for a track of an older export.
  private static func basePlays(of record: SourceRecord<PortableImport.Row>) -> Int64? {
    guard record.kind == TrackRow.table, case .integer(let plays)? = record.fields.first(where: { $0.name == "base_plays" })?.value else {
      return nil
    }
    return plays
  }
}
