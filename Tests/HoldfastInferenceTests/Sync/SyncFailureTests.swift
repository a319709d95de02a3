import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// Of six rows of each table four are in; then the server fails in one way, once.
@Suite("Each way in which a server fails", .timeLimit(.minutes(10))) struct SyncFailureTests {
  /// Whatever the way: what was taken is acknowledged and nothing else, the attempt says why it ended and when the next may begin, and the
  /// next brings the rest, and nothing twice.
  private static func check(
    _ rows: SentRows, _ answer: LoopbackServer.Answer, code: StoreError.Code, says text: String, pauseSeconds: ClosedRange<Double> = 5...5,
    timeoutSeconds: Double = 5
  ) async throws {
    let world = try await rows.world(6)
    let (api, script) = (TablesAPI(), Script(before(rows) + [answer]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = rows.service(world, server, timeoutSeconds: timeoutSeconds)
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.code == code && error?.message.contains(text) == true, "\(String(describing: error))")
    #expect(error?.suggestion != nil, "the suggestion of the code is about files and disks")
    #expect(try await rows.pending(in: world) == 2)
    let status = try await world.inference.syncStatus()
    #expect(status.lastError == error?.message && status.setAside == [])
    let pause = try #require(status.retryAt).timeIntervalSince(world.clock.now)
    #expect(pauseSeconds.contains(pause), "\(pause)")
    #expect(try await service.sync().acknowledged == [rows.table: 2])
    #expect(rows.ids(at: api) == (1...6).map(rows.wireID))
    let after = try await world.inference.syncStatus()
    #expect(after.pending[rows.table] == nil && after.lastError == nil && after.retryAt == nil)
  }

  /// The requests that bring the first four.
  private static func before(_ rows: SentRows) -> [LoopbackServer.Answer?] {
    Array(repeating: nil, count: rows.mostInRequest == 1 ? 4 : 1)
  }

  @Test("with a store that may only be read no server is asked anything")
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("inference.sqlite")
    let written = try InferenceStore.open(at: url)
    let analytics = InferenceConfiguration.Analytics(isEnabled: true, level: .verbose, telemetryConsent: .granted)
    try await written.save(InferenceConfiguration(analytics: analytics, createdAt: Sample.date))
    try await written.record([TelemetryEvent(id: "event", type: .error, occurredAt: Sample.date)])
    try written.store.close()
    var options = StoreOptions.testing
    options.opensReadOnly = true
    let inference = try InferenceStore.open(at: url, options: options)
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = DataSyncService(inference, client: URLSessionClient(server.address) { nil }, options: SyncOptions(deviceID: "device"))
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.code == .readOnly && server.requests.isEmpty, "\(String(describing: error))")
    #expect(try await inference.pendingEventCount() == 1)
    try inference.store.close()
  }

  @Test("partial acceptance: what was taken is sent no more, the others are", arguments: SentRows.all)
  func partialAcceptance(rows: SentRows) async throws {
    let world = try await rows.world(4)
    let refused = [2, 3].map(rows.wireID)
    let apis = [TablesAPI(refusing: Set(refused)), TablesAPI()]
    let first = Script(Self.before(rows).map { _ in .cut })
    let server = try LoopbackServer { request in (first.next() == nil ? apis[1] : apis[0]).answer(request) }
    defer { server.stop() }
    let service = rows.service(world, server)
    #expect(try await service.sync() == SyncReport(acknowledged: [rows.table: 2], refused: [rows.table: 2]))
    #expect(try await rows.pending(in: world) == 2)
    #expect(try await service.sync() == SyncReport(acknowledged: [rows.table: 2]))
    #expect(rows.ids(at: apis[1]) == refused)
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM sync_tries") } == 0)
  }

  @Test("401: the key is not accepted", arguments: SentRows.all)
  func unauthorized(rows: SentRows) async throws {
    try await Self.check(rows, .respond(401), code: .permissionDenied, says: "(401)")
  }

  @Test("401 of a server in front that asks for a password: the key is not accepted", arguments: SentRows.all)
  func challenged(rows: SentRows) async throws {
    let answer = LoopbackServer.Answer.respond(401, headers: ["WWW-Authenticate": #"Basic realm="x""#])
    try await Self.check(rows, answer, code: .permissionDenied, says: "(401)", timeoutSeconds: 20)
  }

  @Test("403: the key may not do this", arguments: SentRows.all)
  func forbidden(rows: SentRows) async throws {
    try await Self.check(rows, .respond(403), code: .permissionDenied, says: "(403)")
  }

  @Test("413: half as many are asked for until it fits, and nothing fails", arguments: SentRows.inBatches)
  func tooLarge(rows: SentRows) async throws {
    let world = try await rows.world(6)
    let (api, script) = (TablesAPI(), Script([.respond(413), .respond(413)]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    #expect(try await rows.service(world, server).sync() == SyncReport(acknowledged: [rows.table: 6]))
    #expect(rows.ids(at: api) == (1...6).map(rows.wireID))
    #expect(server.requests.count == 5, "4 and 2 are too many; then 1, 2 and 3")
  }

  @Test("429 with Retry-After in seconds", arguments: SentRows.all)
  func retryAfterSeconds(rows: SentRows) async throws {
    let answer = LoopbackServer.Answer.respond(429, headers: ["Retry-After": "120"])
    try await Self.check(rows, answer, code: .busy, says: "(429)", pauseSeconds: 120...120)
  }

  @Test("429 with Retry-After as a date", arguments: SentRows.all)
  func retryAfterDate(rows: SentRows) async throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let answer = LoopbackServer.Answer.respond(429, headers: ["Retry-After": formatter.string(from: Date().addingTimeInterval(7_200))])
    // Of the real clock, which the header is by; the test may take a while.
    try await Self.check(rows, answer, code: .busy, says: "(429)", pauseSeconds: 3_600...7_200)
  }

  @Test("a server that asks for more than a day is left alone for a day", arguments: SentRows.some, ["86401", "1e300"])
  func longestRetryAfter(rows: SentRows, asked: String) async throws {
    let answer = LoopbackServer.Answer.respond(429, headers: ["Retry-After": asked])
    try await Self.check(rows, answer, code: .busy, says: "(429)", pauseSeconds: 86_400...86_400)
  }

  @Test("408 and 425: the server cannot take it now", arguments: SentRows.all, [408, 425])
  func notNow(rows: SentRows, status: Int) async throws {
    try await Self.check(rows, .respond(status), code: .inputOutput, says: "(\(status))")
  }

  @Test("5xx: the server has failed", arguments: SentRows.all, [500, 502, 503, 504])
  func serverError(rows: SentRows, status: Int) async throws {
    try await Self.check(rows, .respond(status), code: status == 503 ? .busy : .inputOutput, says: "(\(status))")
  }

  @Test("a time-out: no answer comes", arguments: SentRows.all)
  func timeOut(rows: SentRows) async throws {
    try await Self.check(rows, .hang, code: .inputOutput, says: "no answer", timeoutSeconds: 1)
  }

  @Test("a connection that is cut before the answer", arguments: SentRows.all)
  func cut(rows: SentRows) async throws {
    try await Self.check(rows, .cut, code: .inputOutput, says: "no answer")
  }

  @Test("a connection that is cut in the answer", arguments: SentRows.all)
  func cutInside(rows: SentRows) async throws {
    try await Self.check(rows, .cutAnswer, code: .inputOutput, says: "no answer")
  }

  @Test("an answer that is lost after the rows were taken: they are sent again under the same ids", arguments: SentRows.all)
  func takenAndCut(rows: SentRows) async throws {
    let world = try await rows.world(3)
    let (api, script) = (TablesAPI(), Script([.cut]))
    let server = try LoopbackServer { request in
      let answer = api.answer(request)
      return script.next() ?? answer
    }
    defer { server.stop() }
    let service = rows.service(world, server)
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(try await rows.pending(in: world) == 3)
    #expect(try await service.sync().acknowledged == [rows.table: 3])
    let first = (1...min(3, rows.mostInRequest)).map(rows.wireID)
    #expect(rows.ids(at: api) == first + (1...3).map(rows.wireID))
  }
}
