import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastHTTP

@Suite("A client of HTTP", .timeLimit(.minutes(10))) struct HTTPClientTests {
  @Test(
    "how long the server wants to be left alone is told in seconds", arguments: [("7", 7), ("0", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0)])
  func retryAfter(header: String, seconds: Double) async throws {
    let server = try LoopbackServer { _ in .respond(429, headers: ["Retry-After": header]) }
    defer { server.stop() }
    let answer = try await HTTPClient(server.address) { nil }.send("GET", "/v1/models")
    #expect(answer.status == 429 && answer.retryAfterSeconds == seconds)
    #expect(server.requests.first?.headers["authorization"] == nil)
  }

  @Test("the key goes in the header, and the body goes as it is")
  func keyInHeader() async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { "sk-0123456789" }
    _ = try await client.send("POST", "/v1/sync/telemetry", body: Data(#"{"id":"e"}"#.utf8))
    #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer sk-0123456789"])
    #expect(server.requests.map(\.body) == [Data(#"{"id":"e"}"#.utf8)])
  }

  @Test(
    "an address with a question or a fragment, of which the path would be part, is asked nothing", arguments: ["?t=geheim", "#t=geheim"])
  func addressWithMore(more: String) async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let address = try #require(URL(string: server.address.absoluteString + "/" + more))
    let error = await #expect(throws: StoreError.self) {
      try await HTTPClient(address) { nil }.send("GET", "/v1/models")
    }
    #expect(error?.code == .misuse && error?.message.contains("geheim") == false && server.requests.isEmpty)
  }

  @Test("a client that is gone leaves nothing behind")
  func gone() async throws {
    let server = try LoopbackServer(keepsConnections: true) { _ in .respond(200) }
    defer { server.stop() }
    weak var session: HTTPSession?
    do {
      let client = HTTPClient(server.address) { nil }
      session = client.session
      _ = try await client.send("GET", "/x")
    }
    #expect(await eventually { session == nil && server.connections.open == 0 })
  }

  @Test("a date until which the server wants to be left alone is told in seconds from now")
  func retryAt() throws {
    let now = try #require(DateCodec.parseISO8601("1994-11-06T08:48:37Z").flatMap(DateCodec.date(milliseconds:)))
    #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", from: now) == 60)
    #expect(RetryAfter.seconds(" 1.5 ", from: now) == 1.5)
    for text in ["", "soon", "-1", "inf", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET"] {
      #expect(RetryAfter.seconds(text, from: now) == nil, "\(text)")
    }
  }

  @Test(
    "a server that asks for a password is told no at once, and its 401 is the answer",
    arguments: [#"Basic realm="x""#, #"Basic realm="x", charset="UTF-8""#, #"Digest realm="x", nonce="y""#, #"Bearer realm="x""#])
  func challenge(header: String) async throws {
    let server = try LoopbackServer { _ in .respond(401, headers: ["WWW-Authenticate": header]) }
    defer { server.stop() }
    let client = HTTPClient(server.address, timeoutSeconds: 20) { "sk-1" }
    for _ in 1...2 { #expect(try await client.send("POST", "/v1/sync/models", body: Data("{}".utf8)).status == 401) }
    #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["authorization"] == "Bearer sk-1" })
  }

  @Test("a key is not carried to where a redirect points")
  func redirect() async throws {
    let other = try LoopbackServer { _ in .respond(200) }
    defer { other.stop() }
    let target = other.address.absoluteString
    let server = try LoopbackServer { _ in .respond(302, headers: ["Location": target]) }
    defer { server.stop() }
    let answer = try await HTTPClient(server.address) { "sk-1" }.send("GET", "/v1/models")
    #expect(answer.status == 302)
    #expect(other.requests.isEmpty)
  }

  @Test("no answer is an error: a cut connection, a cut answer, none in time, nobody there", arguments: ["cut", "half", "hang", "nobody"])
  func noAnswer(way: String) async throws {
    let server = try LoopbackServer { _ in way == "cut" ? .cut : way == "half" ? .cutAnswer : .hang }
    defer { server.stop() }
    // A port that a server has left may be another's by now; the first is nobody's.
    let address = way == "nobody" ? try #require(URL(string: "http://127.0.0.1:1")) : server.address
    let client = HTTPClient(address, timeoutSeconds: way == "hang" ? 1 : 10) { "sk-secret" }
    await #expect(throws: (any Error).self) { try await client.send("POST", "/v1/sync/telemetry", body: Data("{}".utf8)) }
    let error = await #expect(throws: (any Error).self) { try await client.send("GET", "/x") }
    #expect(!String(describing: error).contains("sk-secret"))
  }

  @Test("a request has 30 seconds where nobody says how many")
  func defaultTime() throws {
    #expect(HTTPClient(try #require(URL(string: "https://api.example.com"))) { nil }.timeoutSeconds == 30)
  }

  @Test(
    "a server that says nothing, or goes on byte by byte, has given no answer in so many seconds, none of them too",
    arguments: [(LoopbackServer.Answer.hang, 0, "0"), (.hang, 1, "1"), (.drip, 0.5, "0.5")] as [(LoopbackServer.Answer, Double, String)])
  func slow(answer: LoopbackServer.Answer, seconds: Double, shown: String) async throws {
    let server = try LoopbackServer { _ in answer }
    defer { server.stop() }
    let client = HTTPClient(server.address, timeoutSeconds: seconds) { nil }
    let error = await #expect(throws: StoreError.self) { try await client.send("GET", "/v1/models") }
    #expect(error?.code == .inputOutput && error?.message == "the server gave no answer in \(shown) s", "\(String(describing: error))")
    if case .drip = answer { #expect((error?.cause as? URLError)?.code == .timedOut) }
  }

  @Test("an address whose scheme is in capitals is asked like any other")
  func capitals() async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let port = try #require(server.address.port)
    let address = try #require(URL(string: "HTTP://127.0.0.1:\(port)/api/"))
    let client = HTTPClient(address) { nil }
    #expect(try await client.send("GET", "/v1/models").status == 200)
    #expect(server.requests.map(\.path) == ["/api/v1/models"])
  }

  @Test("a body of more than 1 KB is zipped where that is asked for, and shorter; an answer may be zipped")
  func zips() async throws {
    let answer = Data(String(repeating: "an answer ", count: 1_000).utf8)
    let server = try LoopbackServer { _ in .zipped(200, body: answer) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    let (short, long) = (Data(String(repeating: "x", count: 1_024).utf8), Data(String(repeating: "x", count: 1_025).utf8))
    let random = Data((0..<2_000).map { _ in UInt8.random(in: .min ... .max) })
    for (body, zips) in [(long, false), (short, true), (random, true), (long, true)] {
      #expect(try await client.send("POST", "/x", body: body, zips: zips).body == answer)
    }
    #expect(server.requests.map(\.body) == [long, short, random, long])
    #expect(server.requests.map { $0.headers["content-encoding"] } == [nil, nil, nil, "gzip"])
    #expect(server.requests.last?.headers["content-length"].flatMap { Int($0) } ?? 1_025 < 100)
    #expect(server.requests.allSatisfy { $0.headers["accept-encoding"]?.contains("gzip") == true })
  }

  @Test("a zipped answer counts by what it expands to")
  func zippedTooLarge() async throws {
    let server = try LoopbackServer { _ in .zipped(200, body: Data(count: 20 << 20)) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await HTTPClient(server.address) { nil }.send("GET", "/x") }
    #expect(error?.code == .inputOutput)
  }

  @Test("an answer that is too large is not read to its end")
  func large() async throws {
    let text = String(repeating: " ", count: HTTPAnswer.greatestBytes + 1)
    let server = try LoopbackServer { _ in .respond(200, body: text) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    let error = await #expect(throws: StoreError.self) { try await client.send("GET", "/v1/models") }
    #expect(error?.code == .inputOutput && error?.message == "the server's answer is larger than 16 MiB")
  }

  @Test("when the key cannot be had nothing is sent, and the error says why")
  func noKey() async throws {
    struct Locked: LocalizedError { var errorDescription: String? { "the keychain is locked" } }
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) {
      try await HTTPClient(server.address) { throw Locked() }.send("GET", "/x")
    }
    #expect(error?.code == .permissionDenied && error?.cause is Locked && error?.message.contains("the keychain is locked") == true)
    let own = await #expect(throws: StoreError.self) {
      try await HTTPClient(server.address) { throw StoreError(.wrongKey, "another key") }.send("GET", "/x")
    }
    #expect(own?.code == .wrongKey)
    #expect(server.requests.isEmpty)
  }

  @Test("a key with a line's end is sent nowhere: it would be another header", arguments: ["sk-1\r\nX-A: b", "sk-1\n", "sk\u{0}-1"])
  func lineEnd(key: String) async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await HTTPClient(server.address) { key }.send("GET", "/x") }
    #expect(error?.code == .wrongKey && error?.message.contains("sk") == false)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "nothing goes over plain http but to this computer",
    arguments: [
      ("https://api.example.com", true), ("HTTPS://api.example.com/v1", true), ("http://127.0.0.1:8080", true), ("http://127.9.9.9", true),
      ("http://localhost", true), ("http://LOCALHOST:80", true), ("http://[::1]:80", true), ("http://api.example.com", false),
      ("http://127.0.0.1.example.com", false), ("http://127.example.com", false), ("http://localhost.example.com", false),
      ("http://10.0.0.1", false), ("http://0.0.0.0", false), ("file:///etc/hosts", false), ("ftp://127.0.0.1", false), ("https://", false),
      ("127.0.0.1", false),
    ])
  func privateAddresses(text: String, isPrivate: Bool) async throws {
    let address = try #require(URL(string: text))
    #expect(HTTPClient.isPrivate(address) == isPrivate)
    guard !isPrivate else { return }
    let error = await #expect(throws: StoreError.self) {
      try await HTTPClient(address) {
        Issue.record("the key was asked for")
        return "sk-1"
      }.send("GET", "/x")
    }
    #expect(error?.code == .misuse && error?.recoverySuggestion?.contains("https") == true)
  }
}
