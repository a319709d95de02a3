import Foundation
import Holdfast

extension SecretKey {
  /// The environment variable that holds the key of a command or a server: `HOLDFAST_SECRET_KEY`. No option takes a key: every user of the
  /// computer can read the options of a process, and the shell's history keeps them.
  public static let variableName = "HOLDFAST_SECRET_KEY"

  /// The key in the variable `variableName`: 32 bytes, as 64 hexadecimal digits or in Base64. Nil when it is not set or empty.
  ///
  /// - Throws: `.wrongKey` for a text that is not a key; the error does not contain the text.
  public static func inEnvironment(_ environment: [String: String]) throws -> SecretKey? {
    let text = (environment[variableName] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { return nil }
    guard let bytes = try? StoreKey(text: text).bytes else {
      throw StoreError(
        .wrongKey, "\(variableName) is not a key: it should be 32 bytes, as 64 hexadecimal digits or in Base64",
        suggestion: "Set it to the key that the app seals its secrets with.")
    }
    return SecretKey { bytes }
  }
}
