import Foundation

/// The resident memory of this process.
enum ResidentMemory {
  /// The present size in bytes; nil where the system does not report it.
  static func bytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return nil }
    return Int(line.filter(\.isNumber)).map { $0 * 1_024 }
  }
}
