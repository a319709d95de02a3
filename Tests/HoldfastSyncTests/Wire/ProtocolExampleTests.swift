import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import Testing

/// Documentation/SyncProtocol.md, from which strangers write clients.
@Suite("The examples of the protocol's page")
struct ProtocolExampleTests {
  private static let page: String = {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return (try? String(contentsOf: root.appendingPathComponent("Documentation/SyncProtocol.md"), encoding: .utf8)) ?? ""
  }()

  /// The blocks that begin with a request's first line, or with a status: that line, and the body.
  private static var blocks: [(first: Substring, body: Data)] {
    let parts = page.components(separatedBy: "```\n")
    let inside = parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    return inside.compactMap { block in
      guard let end = block.firstIndex(of: "\n") else { return nil }
      return (block[..<end], Data(block[block.index(after: end)...].utf8))
    }
  }

  @Test("each request is one, in the form in which a device of ours sends it")
  func requests() throws {
    let requests = Self.blocks.filter { $0.first.hasPrefix("POST ") }
    #expect(requests.count == 3)
    for (first, body) in requests {
      let request = try SyncRequest(body: body)
      #expect(request.body == body, "\(first)")
      let isPull = if case .pull = request.verb { true } else { false }
      #expect(first == "POST /v1/spaces/anna/\(isPull ? "pull" : "push")")
    }
  }

  @Test("each answer is one, in the form in which the server sends it, and there is one of each kind")
  func answers() throws {
    let answers = try Self.blocks.compactMap { block in
      try Int(block.first).map { ($0, block.body, try SyncResponse(body: block.body, status: $0)) }
    }
    for (status, body, response) in answers { #expect(response.body == body && response.status == status) }
    #expect(Set(answers.map(\.0)) == [200, 400, 409, 422, 426])
  }

  @Test("each row is one, in the one form")
  func rows() throws {
    let lines = Self.page.split(separator: "\n").filter { $0.hasPrefix("{\"g\"") && !$0.contains("\"q\"") }
    #expect(lines.count == 8)
    for line in lines { #expect(try SyncRow(line: String(line)).line == String(line)) }
  }

  @Test("each status, reason and code that the server gives is on the page, with the limits that it has")
  func complete() {
    let codes: [StoreError.Code] = [.invalidSource, .permissionDenied, .readOnly, .notFound, .invalidValue, .busy, .diskFull, .inputOutput]
    for code in codes {
      let status = SyncAnswer(StoreError(code, ""), now: 0).status
      let row = Self.page.split(separator: "\n").first { $0.hasPrefix("| \(status) |") }
      #expect(row?.contains("`\(code.rawValue)`") == true, "\(status) \(code.rawValue)")
    }
    let limits = SyncLimits()
    let numbers = [
      Int64(SyncRequest.greatestRows), Int64(SyncRequest.greatestBytes), Int64(limits.rowBytes), limits.rows, Int64(SyncLimits.nameBytes),
    ]
    for number in numbers {
      #expect(Self.page.contains(number.formatted(.number.locale(Locale(identifier: "en_US")))), "\(number)")
    }
    #expect(limits.bytes == 1 << 30)
    for reason in ["row_too_large", "quota"] { #expect(Self.page.contains("`\(reason)`")) }
  }
}
