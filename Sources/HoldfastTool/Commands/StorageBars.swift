import Holdfast
import HoldfastTransfer

/// Where a store's bytes are, for people and for programs.
enum StorageBars {
  /// The others are one line.
  private static let mostObjects = 12

  /// The largest tables and indexes, then what is no table. An estimate has a `~`.
  static func chart(_ use: StorageUse) -> ShownBlock {
    var lines: [(label: String, number: Double, words: String)] = []
    func add(_ label: String, _ bytes: Int64, isEstimated: Bool = false) {
      if bytes > 0 { lines.append((label, Double(bytes), (isEstimated ? "~" : "") + DisplayText.size(bytes))) }
    }
    for object in use.objects.prefix(mostObjects) { add(object.name, object.bytes, isEstimated: object.isEstimated) }
    let others = use.objects.dropFirst(mostObjects)
    add(
      "\(others.count) smaller tables and indexes", others.reduce(0) { $0 &+ $1.bytes }, isEstimated: others.contains(where: \.isEstimated))
    add("free pages", use.freeBytes)
    add("log", use.logBytes)
    add("archive", use.archiveBytes)
    add("snapshots", use.snapshotBytes)
    add("set aside", use.quarantineBytes)
    add("copies of sources", use.sourceBytes)
    return .chart(title: "Storage", lines)
  }

  static func document(_ use: StorageUse) -> JSONValue {
    let objects = use.objects.map { object in
      JSONValue.object([
        "name": .string(object.name), "table": .string(object.table), "kind": .string(object.kind.rawValue),
        "bytes": .integer(object.bytes), "estimated": .bool(object.isEstimated),
      ])
    }
    return .object([
      "objects": .array(objects), "free_bytes": .integer(use.freeBytes), "file_bytes": .integer(use.fileBytes),
      "log_bytes": .integer(use.logBytes), "archive_bytes": .integer(use.archiveBytes), "snapshot_bytes": .integer(use.snapshotBytes),
      "quarantine_bytes": .integer(use.quarantineBytes), "source_bytes": .integer(use.sourceBytes),
      "disk_free_bytes": use.diskFreeBytes.map(JSONValue.integer) ?? .null, "rewind_needs_bytes": .integer(use.rewindNeedsBytes),
      "warning": use.warning.map(JSONValue.string) ?? .null,
    ])
  }
}
