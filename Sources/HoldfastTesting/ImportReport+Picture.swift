import Holdfast
public import HoldfastTransfer

extension ImportReport {
  /// The whole report in a few lines, without paths and hashes, for comparison in a test.
  public var picture: String {
    var lines: [String] = []
    for kind in kinds {
      let counts = counts[kind] ?? .init()
      guard counts.source > 0 else { continue }
      let parts = [
        ("imported", counts.imported), ("merged", counts.merged), ("skipped", counts.skipped), ("quarantined", counts.quarantined),
      ]
      lines.append("\(kind) \(counts.source): " + parts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
    }
    lines += skipped.sorted { $0.key < $1.key }.map { "skipped \($0.value): \($0.key)" }
    lines += (notes ?? [:]).sorted { $0.key < $1.key }.map { "noted \($0.value): \($0.key)" }
    lines += problems.map { "\($0.path)\($0.field.map { ".\($0)" } ?? ""): \($0.reason)" }
    return lines.joined(separator: "\n")
  }
}
