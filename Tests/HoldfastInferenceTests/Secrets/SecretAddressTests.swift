import Foundation
import Holdfast
import Testing

@testable import HoldfastInference

@Suite("What lets somebody in in an address") struct SecretAddressTests {
  private static func masked(_ text: String) -> String {
    let masked = SecretProperties.standard.masked(text)
    #expect(SecretProperties.standard.masked(masked) == masked)
    return masked
  }

  @Test(
    "a password is found whatever stands in it, and so is one in the question of another address",
    arguments: [
      ("https://p.example/?url=https://me:geheim@db.example/x", "https://p.example/?url=https://(secret)@db.example/x"),
      ("https://p.example/?url=https://me:pw@h/&api_key=abc", "https://p.example/?url=https://(secret)@h/&api_key=(secret)"),
      ("https://p.example/?token=https://me:pw@h/x&n=1", "https://p.example/?token=(secret)&n=1"),
      ("postgres://app:Xk9,fT2q@db.example/x", "postgres://(secret)@db.example/x"),
      ("redis://:Xk9;fT2q@db.example", "redis://(secret)@db.example"),
      ("postgres://me@tenant:Xk9,fT2q@db.example/x", "postgres://(secret)@db.example/x"),
      ("https://me:geheimß9@h.example", "https://(secret)@h.example"), ("https://me:密码@h.example", "https://(secret)@h.example"),
      ("https://me:2024@h.example", "https://(secret)@h.example"), ("https://me:2024,x@h.example", "https://(secret)@h.example"),
    ])
  func passwords(text: String, masked: String) { #expect(Self.masked(text) == masked) }

  @Test("a password may have each character that needs no other spelling there", arguments: Array("!$&'()*+,;=-._~:@"))
  func everyCharacter(character: Character) {
    #expect(Self.masked("https://me:geh\(character)eim@h.example/x") == "https://(secret)@h.example/x")
  }

  @Test(
    "a secret of a question is found to its end, which is not that of the sentence around it",
    arguments: [
      ("https://a.example/?api_key=ab,cd-rest", "https://a.example/?api_key=(secret)"),
      ("https://a.example/?api_key=ab(c)'d;e&n=1#top", "https://a.example/?api_key=(secret)&n=1#top"),
      ("https://a.example/?password=geheimß9&n=1", "https://a.example/?password=(secret)&n=1"),
      ("https://a.example/x,y/?api_key=abc", "https://a.example/x,y/?api_key=(secret)"),
      ("https://p.example/?url=https://q.example/?api_key=abc&n=1", "https://p.example/?url=https://q.example/?api_key=(secret)&n=1"),
      ("https://p.example/?a=b=c?api_key=abc", "https://p.example/?a=b=c?api_key=(secret)"),
      ("see https://a.example/?api_key=abc, and more", "see https://a.example/?api_key=(secret), and more"),
      ("https://a.example/?f[0]=1&api_key=abc", "https://a.example/?f[0]=1&api_key=(secret)"),
      ("[https://a.example/?n=1](https://a.example/?api_key=abc)", "[https://a.example/?n=1](https://a.example/?api_key=(secret))"),
      ("https://[::1]:80/?api_key=abc", "https://[::1]:80/?api_key=(secret)"),
      ("https://a.example/?a=1&amp;api_key=abc", "https://a.example/?a=1&amp;api_key=(secret)"),
      ("https://a.example/?api%5Fkey=abc", "https://a.example/?api%5Fkey=(secret)"),
      ("https://a.example/cb#access_token=abc&n=1", "https://a.example/cb#access_token=(secret)&n=1"),
      ("https://a.example/?n=1#access_token=abc", "https://a.example/?n=1#access_token=(secret)"),
      ("see (as https://a.example/?api_key=abc); more", "see (as https://a.example/?api_key=(secret)); more"),
      ("(https://a.example/?api_key=abc)more", "(https://a.example/?api_key=(secret))more"),
      ("fetch('https://a.example/?api_key=abc',{n:1})", "fetch('https://a.example/?api_key=(secret)',{n:1})"),
      ("https://a.example/?api_key=abc，然后", "https://a.example/?api_key=(secret)，然后"),
    ])
  func questions(text: String, masked: String) { #expect(Self.masked(text) == masked) }

  @Test(
    "what stands between an address and the next @ of a text without spaces stays",
    arguments: [
      "https://acme.com:8080,info@acme.com", "http://localhost:8080,info@acme.com", "请访问https://example.com:8080，或发邮件到info@example.com",
      "https://example.com，邮箱:info@example.com", "https://acme.com,mail:info@acme.com", "url='http://api:8080',mail='a@b'",
      "(http://api:8080)info@acme.com", "[a](https://a.example/x),b@c.example",
    ])
  func prose(text: String) { #expect(Self.masked(text) == text) }

  @Test("behind a user that is found the host stays, and what follows it")
  func hosts() {
    for rest in ["db.example:8080,info@acme.com", "db:5432,info@acme.com", "db.example,info@acme.com", "[::1]:80/x@y"] {
      #expect(Self.masked("https://me:geheim@\(rest)") == "https://(secret)@\(rest)")
    }
  }

  @Test("many addresses in one another take no longer than as many beside each other", .timeLimit(.minutes(1)))
  func many() {
    for part in ["x://a?b=c", "x://a/", "x://a:1,", "x://a=("] {
      let text = String(repeating: part, count: 30_000) + "=@"
      #expect(SecretProperties.standard.masked(text).hasPrefix(part))
    }
  }

  @Test("an import leaves both out, and its copy has neither")
  func imported() throws {
    let world = try LegacyWorld()
    let passwords = ["pw-0123456789,abcdefghij", "pw-9876543210-zyxwvutsrq"]
    try world.database([
      SDKDatabase.first, SDKDatabase.event("a", #""n":"https://me:\#(passwords[0])@h.example/?u=https://me:\#(passwords[1])@h.example""#),
    ])
    let report = try world.report()
    for password in passwords { try world.expectNoTrace(of: password, report) }
    #expect(
      try world.all(TelemetryEvent.self).map(\.properties.text) == [#"{"n":"https://(secret)@h.example/?u=https://(secret)@h.example"}"#])
  }
}
