package import Foundation
internal import Holdfast
internal import HoldfastHTTP
package import HoldfastSyncServer

extension Diagnosis {
  /// Goes the way of a device: asks a server at an address, as a device of a new space that is removed at the end.
  ///
  /// - Parameters:
  ///   - store: the store of that server.
  ///   - isHere: for tests; nil: an http address is for this machine only, and others can reach an https one.
  ///   - now: this machine's time in milliseconds since 1970.
  /// - Throws: the errors of the store.
  package static func way(
    to address: URL, _ store: any SyncSpaces, isHere: Bool? = nil, now: @Sendable () -> Int64
  ) async throws -> Diagnosis {
    guard HTTPClient.isPrivate(address) else {
      return Diagnosis(facts: "not asked", findings: [Finding(.tls, "others can read what goes to \(address.absoluteString)")])
    }
    let isHere = isHere ?? (address.scheme?.lowercased() == "http")
    var diagnosis = Diagnosis(facts: isHere ? "http, for this machine only" : "https", findings: [])
    if let wrong = await publicRoutes(of: address, isHere) {
      diagnosis.findings.append(wrong)
      if wrong.kind != .metrics { return diagnosis }
    }
    // One that was interrupted may have left it.
    do { try await store.removeSpace(Device.space, unchanged: nil) } catch let error as StoreError where error.code == .notFound {}
    try await store.makeSpace(Device.space)
    do {
      let token = try await store.makeToken(for: Device.space, .writes, name: Device.space)
      diagnosis.findings += await Device(address, token: token).findings(now: now)
    } catch {
      try? await store.removeSpace(Device.space, unchanged: nil)
      throw error
    }
    try await store.removeSpace(Device.space, unchanged: nil)
    return diagnosis
  }

  private static func publicRoutes(of address: URL, _ isHere: Bool) async -> Finding? {
    let client = HTTPClient(address) { nil }
    do {
      let health = try await client.send("GET", "/healthz")
      if health.status == 503 { return Finding(.health, "the server says that its store cannot be used") }
      guard health.status == 200, health.body == Data("ok\n".utf8) else {
        return Finding(.unreachable, "/healthz is answered with \(health.status), and not by a holdfast-server")
      }
      guard !isHere, try await client.send("GET", "/metrics").status == 200 else { return nil }
      return Finding(.metrics, "everyone can read /metrics")
    } catch {
      return Finding(.unreachable, "no answer: \((error as? StoreError)?.message ?? error.localizedDescription)")
    }
  }
}

/// The device that tries a server.
private struct Device {
  /// A space of this name is the doctor's own.
  static let space = "holdfast-doctor"

  private struct Head: Decodable {
    let epoch: String
    let head: Int64
    let now: Int64
  }

  private let client: HTTPClient
  private let stranger: HTTPClient

  init(_ address: URL, token: String) {
    // Longer than a poll waits.
    client = HTTPClient(address, timeoutSeconds: 40) { token }
    stranger = HTTPClient(address) { "holdfast-doctor" }
  }

  func findings(now: () -> Int64) async -> [Finding] {
    do {
      let first = try await head(after: .max)
      guard first.status == 200, let state = try? JSONDecoder().decode(Head.self, from: first.body) else { return [stranded(first)] }
      let ahead = state.now - now()
      let clock = Finding(.clock, "the clock of the server is \(abs(ahead)) ms \(ahead > 0 ? "ahead of" : "behind") this machine's")
      let found = [
        abs(ahead) > Diagnosis.mostClock ? clock : nil, try await gzip(state.epoch), try await bodyLimit(state.epoch),
        try await retryAfter(),
        try await poll(),
      ]
      return found.compactMap(\.self)
    } catch {
      return [Finding(.unreachable, "no answer: \((error as? StoreError)?.message ?? error.localizedDescription)")]
    }
  }

  private func head(after number: Int64) async throws -> HTTPAnswer {
    try await client.send("GET", "/v1/spaces/\(Self.space)/wait?after=\(number)")
  }

  private func stranded(_ answer: HTTPAnswer) -> Finding {
    switch answer.status {
    case 421: Finding(.host, "the server does not know the name in the address")
    case 401, 404: Finding(.store, "the server does not know a token of this store")
    default: Finding(.unreachable, "a device gets \(answer.status)")
    }
  }

  // MARK: What a proxy may hold back

  private func gzip(_ epoch: String) async throws -> Finding? {
    let status = try await push(epoch, bytes: 10_000, zips: true).status
    return status == 200 ? nil : Finding(.gzip, "a push that is zipped gets \(status)")
  }

  private func bodyLimit(_ epoch: String) async throws -> Finding? {
    do {
      let status = try await push(epoch, bytes: SyncServer.greatestBytes).status
      return status == 200 ? nil : Finding(.bodyLimit, "a push of \(SyncServer.greatestBytes) bytes gets \(status)")
    } catch let error as URLError {
      return Finding(.bodyLimit, "a push of \(SyncServer.greatestBytes) bytes gets no answer: \(error.localizedDescription)")
    }
  }

  /// Sends rows that fill a body nearly.
  private func push(_ epoch: String, bytes: Int, zips: Bool = false) async throws -> HTTPAnswer {
    let (text, most) = (bytes - 1_000, 200_000)
    let rows = stride(from: 0, to: text, by: most).map { Self.row($0, String(repeating: "x", count: min(most, text - $0))) }
    let lines = [#"{"cursor":0,"epoch":"\#(epoch)","rows":\#(rows.count),"schema":1}"#] + rows
    let body = Data(lines.map { $0 + "\n" }.joined().utf8)
    return try await client.send("POST", "/v1/spaces/\(Self.space)/push", body: body, type: "application/x-ndjson", zips: zips)
  }

  /// A row of 1970.
  private static func row(_ number: Int, _ text: String) -> String {
    #"{"g":1,"h":"000000000500000000001","k":"\#(number)","t":"doctor","v":{"text":"\#(text)"}}"#
  }

  /// Asks with a token that was never made until the server has enough of it. Where several servers share the requests, it may never.
  private func retryAfter() async throws -> Finding? {
    for _ in 0..<40 {
      let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
        for _ in 0..<10 { group.addTask { try await stranger.send("GET", "/v1/spaces/\(Self.space)/wait?after=0") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      guard let refused = answers.first(where: { $0.status == 429 }) else { continue }
      return refused.retryAfterSeconds == nil ? Finding(.retryAfter, "an answer 429 comes without Retry-After") : nil
    }
    return nil
  }

  private func poll() async throws -> Finding? {
    let now = try JSONDecoder().decode(Head.self, from: try await head(after: .max).body)
    let begun = ContinuousClock.now
    do {
      let status = try await head(after: now.head).status
      let seconds = Int((ContinuousClock.now - begun) / .seconds(1))
      return status == 200 ? nil : Finding(.poll, "a poll gets \(status) after \(seconds) seconds")
    } catch {
      return Finding(.poll, "a poll is cut off after \(Int((ContinuousClock.now - begun) / .seconds(1))) seconds")
    }
  }
}
