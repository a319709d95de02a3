import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastHTTP

@Suite("Connections of HTTP", .timeLimit(.minutes(10))) struct HTTPConnectionTests {
  /// Whole answers, of which each beginning is less than an answer.
  private static let answers = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n4\r\n\"b\"}\r\n0\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}",
  ]

  @Test("an answer that is cut at any byte is an error that says why, and never the end of the process", arguments: answers)
  func cutAtEachByte(answer: String) async throws {
    let whole = Data(answer.utf8)
    let server = try LoopbackServer { .bytes(whole.prefix(Int($0.path.dropFirst()) ?? 0)) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    // With the size of the last chunk, 0, everything has come.
    for count in 0..<(answer.hasSuffix("0\r\n\r\n") ? whole.count - 2 : whole.count) {
      let error = await #expect(throws: URLError.self, "after \(count) bytes") { try await client.send("GET", "/\(count)") }
      #expect(
        error?.code == .networkConnectionLost && error?.localizedDescription.contains("NSURLErrorDomain") == false, "after \(count) bytes")
    }
    #expect(try await client.send("GET", "/\(whole.count)").body == Data(#"{"a":"b"}"#.utf8))
  }

  @Test("a zipped answer that is cut at any byte is an error")
  func zippedCut() async throws {
    let text = Data(String(repeating: "an answer, ", count: 20).utf8)
    let body = try #require(Gzip.compressed(text))
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
    let server = try LoopbackServer { .bytes(Data(head.utf8) + body.prefix(Int($0.path.dropFirst()) ?? 0)) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    for count in 0..<body.count {
      await #expect(throws: URLError.self, "after \(count) bytes") { try await client.send("GET", "/\(count)") }
    }
    #expect(try await client.send("GET", "/\(body.count)").body == text)
  }

  @Test("what is no HTTP is an error", arguments: ["hello\r\n\r\n", "HTTP/1.1 x\r\n\r\n", "\u{0}\u{1}\u{2}", "\r\n\r\n"])
  func noHTTP(text: String) async throws {
    let server = try LoopbackServer { _ in .bytes(Data(text.utf8)) }
    defer { server.stop() }
    await #expect(throws: URLError.self) { try await HTTPClient(server.address) { nil }.send("GET", "/x") }
  }

  @Test("of several heads the last one counts, whatever case its names have, and nothing that follows the body")
  func lastHead() async throws {
    let interim = "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
    let head = "HTTP/1.1 503 Busy\r\nRETRY-AFTER:7 \r\nTransfer-Encoding: chunked\r\n\r\n"
    let server = try LoopbackServer { request in
      .bytes(Data((interim + (request.path == "/plain" ? "HTTP/1.1 204 None\r\n\r\n" : head + "0\r\nRetry-After: 5\r\n\r\n")).utf8))
    }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    #expect(try await client.send("GET", "/x") == HTTPAnswer(status: 503, retryAfterSeconds: 7))
    #expect(try await client.send("GET", "/plain") == HTTPAnswer(status: 204))
  }

  @Test("requests one after the other use one connection")
  func kept() async throws {
    // libcurl closes a connection that was idle for two minutes, which a busy machine may give it.
    for _ in 1...5 {
      let server = try LoopbackServer(keepsConnections: true) { .respond(200, body: $0.path) }
      defer { server.stop() }
      let client = HTTPClient(server.address) { nil }
      for path in ["/a", "/b", "/c"] { #expect(try await client.send("POST", path, body: Data("{}".utf8)).body == Data(path.utf8)) }
      #expect(server.requests.count == 3)
      if server.connections.all == 1 { return }
    }
    Issue.record("each of five clients needed several connections")
  }

  @Test("requests at the same time get their own answers, also while others wait for long")
  func together() async throws {
    let server = try LoopbackServer(keepsConnections: true) { $0.path == "/hang" ? .hang : .respond(200, body: $0.path) }
    defer { server.stop() }
    let client = HTTPClient(server.address, timeoutSeconds: 600) { nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...20 { group.addTask { _ = try await client.send("GET", "/hang") } }
      #expect(await eventually { server.requests.count == 20 })
      try await withThrowingTaskGroup(of: Void.self) { answered in
        for number in 1...20 {
          answered.addTask {
            let answer = try await client.send("GET", "/\(number)")
            #expect(answer.body == Data("/\(number)".utf8))
          }
        }
        try await answered.waitForAll()
      }
      group.cancelAll()
    }
  }

  @Test("a task that is cancelled ends its request at once, and leaves nothing behind")
  func cancelled() async throws {
    let server = try LoopbackServer { _ in .hang }
    defer { server.stop() }
    weak var session: HTTPSession?
    do {
      let client = HTTPClient(server.address, timeoutSeconds: 86_400) { nil }
      session = client.session
      let task = Task { try await client.send("GET", "/x") }
      #expect(await eventually { server.requests.count == 1 })
      // Without the end at once, the time limit of these tests is over first.
      task.cancel()
      let error = await #expect(throws: URLError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
    #expect(await eventually { session == nil })
  }

  @Test("a task that was cancelled before sends nothing")
  func cancelledBefore() async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let client = HTTPClient(server.address) { nil }
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await client.send("GET", "/x")
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test("nobody at a port is told by a code, and in words")
  func nobody() async throws {
    // A port that a server has left may be another's by now.
    let client = HTTPClient(try #require(URL(string: "http://127.0.0.1:1"))) { nil }
    let error = await #expect(throws: URLError.self) { try await client.send("GET", "/x") }
    #expect(error?.code == .cannotConnectToHost && error?.localizedDescription.contains("NSURLErrorDomain") == false)
  }
}
