import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// Of six rows of each table four are in; then the server fails in one way, once.
@Suite("Each way in which a server fails", .timeLimit(.minutes(10))) struct SyncFailureTests {
  /// An answer that the server gives once, and the text that the error must then have.
  struct Failure: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var answer: LoopbackServer.Answer
    var code = StoreError.Code.inputOutput
    var words = "no answer"
    var pauseSeconds: ClosedRange<Double> = 5...5
    var timeoutSeconds = 5.0

    /// An answer with this status, which the error then names.
    static func status(
      _ status: Int, _ code: StoreError.Code = .inputOutput, _ headers: [String: String] = [:], pauseSeconds: ClosedRange<Double> = 5...5
    ) -> Failure {
      let name = "\(status)" + headers.map { ", \($0.key): \($0.value)" }.joined()
      return Failure(
        testDescription: name, answer: .respond(status, headers: headers), code: code, words: "(\(status))", pauseSeconds: pauseSeconds,
        timeoutSeconds: 20)
    }
  }

  /// Two hours from now by the real clock, as the header `Retry-After` writes it: the test may take a while.
  private static var later: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date().addingTimeInterval(7_200))
  }

  static let failures: [Failure] = [
    .status(401, .permissionDenied), .status(401, .permissionDenied, ["WWW-Authenticate": #"Basic realm="x""#]),
    .status(403, .permissionDenied), .status(408), .status(425),
    .status(429, .busy, ["Retry-After": "120"], pauseSeconds: 120...120),
    .status(429, .busy, ["Retry-After": later], pauseSeconds: 3_600...7_200),
    // A day at most.
    .status(429, .busy, ["Retry-After": "86401"], pauseSeconds: 86_400...86_400),
    .status(429, .busy, ["Retry-After": "1e300"], pauseSeconds: 86_400...86_400),
    .status(500), .status(502), .status(503, .busy), .status(504), Failure(testDescription: "a time-out", answer: .hang, timeoutSeconds: 1),
    Failure(testDescription: "a cut before the answer", answer: .cut), Failure(testDescription: "a cut in the answer", answer: .cutAnswer),
  ]

  @Test(
    "what was taken is acknowledged and nothing else, the attempt says why it ended and when the next may begin, and that brings the rest",
    arguments: SentRows.inTurn(SentRows.all, failures))
  func fails(rows: SentRows, failure: Failure) async throws {
    let world = try await rows.world(6)
    let (api, script) = (TablesAPI(), Script(Self.before(rows) + [failure.answer]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = rows.service(world, server, timeoutSeconds: failure.timeoutSeconds)
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.code == failure.code && error?.message.contains(failure.words) == true, "\(String(describing: error))")
    #expect(error?.suggestion != nil, "the suggestion of the code is about files and disks")
    #expect(try await rows.pending(in: world) == 2)
    let status = try await world.inference.syncStatus()
    #expect(status.lastError == error?.message && status.setAside == [])
    let pause = try #require(status.retryAt).timeIntervalSince(world.clock.now)
    #expect(failure.pauseSeconds.contains(pause), "\(pause)")
    #expect(try await service.sync().acknowledged == [rows.table: 2])
    // Nothing twice.
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
    try await TelemetryTests.consent(written)
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
