import Foundation

/// What an archive may have lost without a sign of it: its oldest generation, which retention removes as well, and its end, where a killed
/// process or power loss leaves a part of a record, zero bytes, or nothing. Written from `Documentation/ArchiveFormat.md`, without the product.
enum ArchiveLoss {
  /// The commits whose loss must be told.
  ///
  /// - Parameters:
  ///   - folder: with the store whose archive was damaged.
  ///   - before: the same before the damage.
  static func promised(in folder: URL, before: URL) throws -> ClosedRange<Int64> {
    let (archive, whole) = (self.archive(folder), self.archive(before))
    let names = try FileManager.default.subpathsOfDirectory(atPath: whole.path).sorted()
    let (bases, segments) = (names.filter { $0.hasSuffix(".sqlite") }, names.filter { $0.hasSuffix(".segment") })
    guard let first = bases.first, let newest = bases.last, let last = segments.last else { return 0...Int64.max }
    if isGone(generation(newest), in: archive) { return 0...max(0, commit(newest) - 1) }
    if isGone(generation(first), in: archive) {
      return (bases.first { generation($0) != generation(first) }.map(commit) ?? 0)...Int64.max
    }
    return try 0...end(of: last, in: archive, before: whole)
  }

  /// The last commit before an end of the last segment that looks unfinished; the highest number where the end does not look so.
  private static func end(of segment: String, in archive: URL, before: URL) throws -> Int64 {
    let whole = try SegmentBytes(before.appendingPathComponent(segment).path)
    let file = archive.appendingPathComponent(segment)
    let bytes = isGone(segment, in: archive) ? [] : [UInt8](try Data(contentsOf: file))
    let same = zip(whole.bytes, bytes).prefix { $0 == $1 }.count
    if same == whole.bytes.count, bytes.count == same { return .max }
    let kept = whole.records.filter { $0.body.upperBound <= same }
    // A record that was changed in place counts as one that is not whole, also where its checksum was made right.
    let start = bytes.count == whole.bytes.count ? same : kept.last?.body.upperBound ?? SegmentBytes.headerBytes
    if SegmentBytes.holdsRecord(bytes, from: start) { return .max }
    let commits = kept.filter { whole.bytes[$0.body.lowerBound] == 1 }
    return commits.last.map { Int64(whole.number(at: $0.body.lowerBound + 12, 8)) } ?? commit(segment) - 1
  }

  private static func archive(_ folder: URL) -> URL { folder.appendingPathComponent("list.sqlite.holdfast/archive") }

  private static func isGone(_ name: String, in archive: URL) -> Bool {
    !FileManager.default.fileExists(atPath: archive.appendingPathComponent(name).path)
  }

  /// `00000001` of `00000001/0000000000000007.segment`.
  private static func generation(_ name: String) -> String { String(name.prefix { $0 != "/" }) }

  private static func commit(_ name: String) -> Int64 { name.split(separator: "/").last.flatMap { Int64($0.prefix(16)) } ?? 0 }
}
