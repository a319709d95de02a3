import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import InferenceStore

@Suite("The client of the remote API", .timeLimit(.minutes(1))) struct ClientTests {
  @Test("a request carries its body and the key as a bearer, and the answer comes back whole")
  func bearer() async throws {
    let server = try LoopbackServer { _ in .respond(200, body: #"{"ok":true}"#) }
    defer { server.stop() }
    let client = URLSessionClient(server.address) { "sk-1" }
    let answer = try await client.send(APIRequest("POST", "/v1/sync/models", body: Data(#"{"a":1}"#.utf8)))
    #expect(answer == APIResponse(status: 200, body: Data(#"{"ok":true}"#.utf8)))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == "/v1/sync/models")
    #expect(request.headers["authorization"] == "Bearer sk-1")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.body == Data(#"{"a":1}"#.utf8))
  }

  @Test(
    "how long the server wants to be left alone is told in seconds", arguments: [("7", 7), ("0", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0)])
  func retryAfter(header: String, seconds: Double) async throws {
    let server = try LoopbackServer { _ in .respond(429, headers: ["Retry-After": header]) }
    defer { server.stop() }
    let answer = try await URLSessionClient(server.address) { nil }.send(APIRequest("GET", "/v1/models"))
    #expect(answer.status == 429 && answer.retryAfterSeconds == seconds)
    #expect(server.requests.first?.headers["authorization"] == nil)
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

  @Test("a key is not carried to where a redirect points")
  func redirect() async throws {
    let other = try LoopbackServer { _ in .respond(200) }
    defer { other.stop() }
    let target = other.address.absoluteString
    let server = try LoopbackServer { _ in .respond(302, headers: ["Location": target]) }
    defer { server.stop() }
    let answer = try await URLSessionClient(server.address) { "sk-1" }.send(APIRequest("GET", "/v1/models"))
    #expect(answer.status == 302)
    #expect(other.requests.isEmpty)
  }

  @Test("no answer is an error: a cut connection, a cut answer, none in time, nobody there", arguments: ["cut", "half", "hang", "nobody"])
  func noAnswer(way: String) async throws {
    let server = try LoopbackServer { _ in way == "cut" ? .cut : way == "half" ? .cutAnswer : .hang }
    if way == "nobody" { server.stop() }
    defer { if way != "nobody" { server.stop() } }
    let client = URLSessionClient(server.address, timeoutSeconds: way == "hang" ? 1 : 10) { "sk-secret" }
    await #expect(throws: (any Error).self) { try await client.send(APIRequest("POST", "/v1/sync/telemetry", body: Data("{}".utf8))) }
    let error = await #expect(throws: (any Error).self) { try await client.send(APIRequest("GET", "/x")) }
    #expect(!String(describing: error).contains("sk-secret"))
  }

  @Test("when the key cannot be had nothing is sent")
  func noKey() async throws {
    struct Locked: Error {}
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    await #expect(throws: Locked.self) { try await URLSessionClient(server.address) { throw Locked() }.send(APIRequest("GET", "/x")) }
    #expect(server.requests.isEmpty)
  }
}
