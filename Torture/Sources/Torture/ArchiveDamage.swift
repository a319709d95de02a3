import Foundation

/// Damage to the files of an archive: each class of bytes, and each file.
struct ArchiveDamage: Codable, Sendable {
  var what: String
  var seed: UInt64

  /// `sealed-` ones have the right checksum of the record: only the checksum of the state tells.
  static let kinds = [
    "segment-header", "record-length", "record-checksum", "body-header", "page-list", "content", "end-record", "sealed-page-list",
    "sealed-content", "sealed-state", "record-dropped", "record-twice", "records-swapped", "segment-cut", "segment-empty",
    "segment-noise", "segment-zero", "segments-swapped", "base-flip", "base-cut", "base-grow", "bases-swapped", "description-flip",
    "description-cut", "delete-segment", "delete-base", "delete-description", "delete-generation", "delete-archive",
  ]

  func apply(to folder: URL) throws {
    var random = Chance(seed)
    let archive = folder.appendingPathComponent("list.sqlite.holdfast/archive")
    let names = try FileManager.default.subpathsOfDirectory(atPath: archive.path).sorted()
    func paths(_ suffix: String) -> [String] { names.filter { $0.hasSuffix(suffix) }.map { "\(archive.path)/\($0)" } }
    let (segments, bases, descriptions) = (paths(".segment"), paths(".sqlite"), paths(".json"))
    guard let segment = segments.randomElement(using: &random), let base = bases.randomElement(using: &random),
      let description = descriptions.randomElement(using: &random)
    else { throw CocoaError(.fileNoSuchFile) }
    switch what {
    case "segment-header": try change(segment) { Self.flip(&$0, 0..<SegmentBytes.headerBytes, &random) }
    case "segment-cut": try change(segment) { $0.removeLast(1 + random.below($0.count - 1)) }
    case "segment-empty": try change(segment) { $0 = [] }
    case "segment-noise": try change(segment) { $0 += random.bytes(500) }
    case "segment-zero":
      try change(segment) { bytes in
        let start = random.below(bytes.count)
        for place in start..<min(start + 512, bytes.count) { bytes[place] = 0 }
      }
    case "segments-swapped": try swapTwo(segments, &random)
    case "base-flip": try change(base) { Self.flip(&$0, 0..<$0.count, &random) }
    case "base-cut": try change(base) { $0.removeLast(1 + random.below($0.count - 1)) }
    case "base-grow": try change(base) { $0 += Array(repeating: 0, count: 4_096) }
    case "bases-swapped": try swapTwo(bases, &random)
    case "description-flip": try change(description) { Self.flip(&$0, 0..<$0.count, &random) }
    case "description-cut": try change(description) { $0.removeLast(1 + random.below($0.count - 1)) }
    case "delete-segment": unlink(segment)
    case "delete-base": unlink(base)
    case "delete-description": unlink(description)
    case "delete-generation": try FileManager.default.removeItem(atPath: URL(fileURLWithPath: base).deletingLastPathComponent().path)
    case "delete-archive": try FileManager.default.removeItem(at: archive)
    default: try changeRecord(segments, &random)
    }
  }

  private func changeRecord(_ segments: [String], _ random: inout Chance) throws {
    let all = try segments.map { ($0, try SegmentBytes($0)) }
    let fitting = all.filter { segment in
      what == "end-record" ? segment.1.records.contains { segment.1.bytes[$0.body.lowerBound] == 3 } : segment.1.commits.count > 1
    }
    guard let chosen = fitting.randomElement(using: &random) else { throw CocoaError(.fileNoSuchFile) }
    let path = chosen.0
    var segment = chosen.1
    let place = random.below(segment.commits.count)
    let commit = segment.commits[place]
    switch what {
    case "record-length": Self.flip(&segment.bytes, commit.start..<commit.start + 4, &random)
    case "record-checksum": Self.flip(&segment.bytes, commit.start + 4..<commit.start + 8, &random)
    case "body-header": Self.flip(&segment.bytes, commit.body.lowerBound..<commit.body.lowerBound + 78, &random)
    case "page-list", "sealed-page-list": Self.flip(&segment.bytes, segment.pages(of: commit), &random)
    case "content", "sealed-content": Self.flip(&segment.bytes, segment.content(of: commit), &random)
    case "sealed-state": Self.flip(&segment.bytes, commit.body.lowerBound + 40..<commit.body.lowerBound + 48, &random)
    case "end-record":
      if let end = segment.records.last(where: { segment.bytes[$0.body.lowerBound] == 3 }) {
        Self.flip(&segment.bytes, end.start..<end.body.upperBound, &random)
      }
    case "record-dropped": segment.bytes.removeSubrange(commit.start..<commit.body.upperBound)
    case "record-twice": segment.bytes.insert(contentsOf: segment.bytes[commit.start..<commit.body.upperBound], at: commit.start)
    case "records-swapped":
      let other = segment.commits[place > 0 ? place - 1 : 1]
      let (first, second) = place > 0 ? (other, commit) : (commit, other)
      let between = segment.bytes[first.body.upperBound..<second.start]
      let swapped =
        segment.bytes[second.start..<second.body.upperBound] + between + segment.bytes[first.start..<first.body.upperBound]
      segment.bytes.replaceSubrange(first.start..<second.body.upperBound, with: Array(swapped))
    default: throw POSIXError(.EINVAL)
    }
    if what.hasPrefix("sealed-") { segment.seal(commit) }
    try Data(segment.bytes).write(to: URL(fileURLWithPath: path))
  }

  private static func flip(_ bytes: inout [UInt8], _ range: Range<Int>, _ random: inout Chance) {
    guard !range.isEmpty else { return }
    bytes[range.lowerBound + random.below(range.count)] ^= UInt8(1 << random.below(8))
  }

  private func swapTwo(_ paths: [String], _ random: inout Chance) throws {
    let two = paths.shuffled(using: &random).prefix(2)
    if let one = two.first, let other = two.dropFirst().first { try swap(one, with: other) }
  }
}
