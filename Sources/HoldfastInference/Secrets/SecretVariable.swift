import Foundation
import Holdfast

/// The key that secrets are sealed with, from the environment. No option takes it: options stand in the list of processes, where every
/// user of the computer reads them, and in the history of the shell.
package enum SecretVariable {
  package static let name = "HOLDFAST_SECRET_KEY"

  /// Nil when there is none.
  ///
  /// - Throws: `.wrongKey` for what is no key; its text is told to nobody.
  package static func key(_ environment: [String: String]) throws -> SecretKey? {
    let text = (environment[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { return nil }
    // 64 digits are Base64, too, but not of 32 bytes.
    guard let bytes = hexadecimal(text) ?? Data(base64Encoded: text), bytes.count == 32 else {
      throw StoreError(
        .wrongKey, "\(name) is no key: it should be 32 bytes, as 64 hexadecimal digits or in Base64",
        suggestion: "Set it to the key that the app seals its secrets with.")
    }
    return SecretKey { bytes }
  }

  /// Nil for anything but pairs of digits.
  private static func hexadecimal(_ text: String) -> Data? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(clamping: digits[$0] << 4 | digits[$0 + 1]) })
  }
}
