import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("The client of the remote API", .timeLimit(.minutes(10))) struct ClientTests {
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

  @Test(
    "an address with a question or a fragment, of which the path would be part, is asked nothing", arguments: ["?t=geheim", "#t=geheim"])
  func addressWithMore(more: String) async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let address = try #require(URL(string: server.address.absoluteString + "/" + more))
    let error = await #expect(throws: StoreError.self) {
      try await URLSessionClient(address) { nil }.send(APIRequest("GET", "/v1/models"))
    }
    #expect(error?.code == .misuse && error?.message.contains("geheim") == false && server.requests.isEmpty)
  }

  @Test("an answer that goes on byte by byte is given up when the time is over")
  func slow() async throws {
    let server = try LoopbackServer { _ in .drip }
    defer { server.stop() }
    let client = URLSessionClient(server.address, timeoutSeconds: 0.5) { nil }
    let error = await #expect(throws: StoreError.self) { try await client.send(APIRequest("GET", "/v1/models")) }
    #expect(error?.code == .inputOutput && error?.message == "the server gave no answer in 0.5 s", "\(String(describing: error))")
    #expect((error?.cause as? URLError)?.code == .timedOut)
  }

  @Test("when the key cannot be had nothing is sent, and the error says why")
  func noKey() async throws {
    struct Locked: LocalizedError { var errorDescription: String? { "the keychain is locked" } }
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) {
      try await URLSessionClient(server.address) { throw Locked() }.send(APIRequest("GET", "/x"))
    }
    #expect(error?.code == .permissionDenied && error?.cause is Locked && error?.message.contains("the keychain is locked") == true)
    let own = await #expect(throws: StoreError.self) {
      try await URLSessionClient(server.address) { throw StoreError(.wrongKey, "another key") }.send(APIRequest("GET", "/x"))
    }
    #expect(own?.code == .wrongKey)
    #expect(server.requests.isEmpty)
  }

  @Test("a key with a line's end is sent nowhere: it would be another header", arguments: ["sk-1\r\nX-A: b", "sk-1\n", "sk\u{0}-1"])
  func lineEnd(key: String) async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await URLSessionClient(server.address) { key }.send(APIRequest("GET", "/x")) }
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
    #expect(URLSessionClient.isPrivate(address) == isPrivate)
    guard !isPrivate else { return }
    let error = await #expect(throws: StoreError.self) {
      try await URLSessionClient(address) {
        Issue.record("the key was asked for")
        return "sk-1"
      }.send(APIRequest("GET", "/x"))
    }
    #expect(error?.code == .misuse && error?.recoverySuggestion?.contains("https") == true)
  }
}
