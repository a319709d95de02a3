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
    ShownProperties { value in
      switch value {
      case let object as StorageUse.Object: ["estimated": .flag(object.isEstimated), "is_estimated": nil]
      case let use as StorageUse: ["warning": .text(use.warning)]
      default: [:]
      }
    }.object(of: use)
  }
}
