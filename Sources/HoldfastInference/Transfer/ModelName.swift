import Foundation

/// The parts of a GGUF file's name: `BaseName-SizeLabel-FineTune-vX.Y-Encoding[-Type]`.
struct ModelName {
  /// The rest of the name.
  private(set) var name: String
  /// Without the `v`.
  private(set) var version: String?
  /// In GGUF's spelling, for example `Q4_K_M`.
  private(set) var encoding: String?

  /// - Parameter text: the name without folder, extension and part number.
  init(_ text: String) {
    var parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    if parts.count > 1, let last = parts.last, ["lora", "vocab"].contains(last.lowercased()) { parts.removeLast() }
    if parts.count > 1, let last = parts.last, Self.isEncoding(last) {
      encoding = last
      parts.removeLast()
    }
    if let place = parts.indices.dropFirst().last(where: { Self.isVersion(parts[$0]) }) {
      version = String(parts[place].dropFirst())
    }
    name = parts.joined(separator: "-")
  }

  private static func isEncoding(_ text: String) -> Bool {
    let upper = text.uppercased()
    if ["F16", "F32", "FP16", "FP32", "BF16"].contains(upper) { return true }
    let rest = upper.hasPrefix("IQ") || upper.hasPrefix("TQ") ? upper.dropFirst(2) : upper.hasPrefix("Q") ? upper.dropFirst() : ""
    guard let digit = rest.first, digit.isASCII, digit.isNumber else { return false }
    return rest.dropFirst().isEmpty || rest.dropFirst().first == "_"
  }

  private static func isVersion(_ text: String) -> Bool {
    guard text.first == "v" || text.first == "V", text.count > 1 else { return false }
    let numbers = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    return numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }
}
