import Foundation
import Holdfast
import Testing

@testable import HoldfastInference

@Suite("Secrets in base64 of UTF-16") struct SecretEncodingTests {
  @Test(
    "JSON in UTF-16 of each order, with its mark and without, is looked into in base64 of both kinds",
    arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [false, true])
  func utf16(encoding: String.Encoding, hasMark: Bool) throws {
    let json = [#"{"api_key":"KEY"}"#, #"[{"api_key":"KEY"}]"#, #""{\"api_key\":\"KEY\"}""#]
    for text in json.flatMap({ text in ["", " ", "\n", "\r\n", "\t"].map { $0 + text } }) {
      let plain = (hasMark ? "\u{FEFF}" : "") + text
      func base64(_ key: String) throws -> String {
        try #require(plain.replacingOccurrences(of: "KEY", with: key).data(using: encoding)).base64EncodedString()
      }
      let (found, expected) = (SecretProperties.standard.masked(try base64("sk-0123456789-abc")), try base64("(secret)"))
      #expect(Data(base64Encoded: found) == Data(base64Encoded: expected), "\(text.debugDescription)")
      let ofAddresses = try base64("sk-0123456789-abc").replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      #expect(SecretProperties.standard.masked(ofAddresses) != ofAddresses, "\(text.debugDescription)")
    }
  }

  @Test("what only begins so stays", arguments: ["//5 is a comment", "/v8/engine", "AHsA", "AAoAAAAAAAAA", "AA0", "__4", "//", "A"])
  func others(text: String) { #expect(SecretProperties.standard.masked(text) == text) }
}
