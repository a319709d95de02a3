import Foundation
import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Testing

@Suite struct ServingTests {
  @Test("a poll waits for a push of its space, and answers the new head; one that is behind is answered at once")
  func wakes() async throws {
    try await ServerWorld.run { world in
      async let waiting = world.client.wait(after: "0")
      // Until the poll waits.
      while try await !world.client.send("GET", "/metrics").text.contains("holdfast_waiting_polls 1\n") {}
      _ = try await world.push(book("a"))
      let reply = try await waiting
      #expect(reply.status == 200 && reply.head("head") == "1" && reply.head("epoch") == world.epoch)
      #expect(try await world.client.wait(after: "0").head("head") == "1")
      #expect(try await world.client.wait(after: "7").head("head") == "1")
    }
  }

  @Test("what another process has pushed wakes no poll, and is in every later answer: heads come from the store")
  func fromTheStore() async throws {
    try await ServerWorld.run { world in
      let body = #"{"cursor":0,"epoch":"\#(world.epoch)","rows":1,"schema":1}"# + "\n" + book("a") + "\n"
      let other = SyncServer(world.server.store)
      let pushed = await other.answer(.push, Data(body.utf8), in: "anna", token: world.client.token, now: ServerWorld.now)
      let (told, pulled) = (try await world.client.wait(after: "0"), try await world.client.pull(epoch: world.epoch))
      #expect(pushed.status == 200 && told.head("head") == "1" && pulled.lines.count == 2)
    }
  }

  @Test("a poll without a push is answered with the same head after the longest time, and so is each later one")
  func patience() async throws {
    try await ServerWorld.run {
      $0.patience = .milliseconds(20)
    } _: { world in
      for _ in 1...5 {
        let begun = ContinuousClock.now
        let reply = try await world.client.wait(after: "0")
        #expect(reply.status == 200 && reply.head("head") == "0" && ContinuousClock.now - begun >= .milliseconds(19))
      }
    }
  }

  @Test("polls of several spaces that begin one after the other all end, and leave nothing behind")
  func ending() async throws {
    let wakes = Wakes(patience: .milliseconds(50))
    let ended = await withTaskGroup(of: Int?.self) { group in
      var ended: [Int?] = []
      for number in 0..<100 {
        group.addTask { await wakes.wait(for: "space\(number % 7)", until: { $0 < 0 }) { number } }
        if number % 10 == 9, let one = await group.next() { ended.append(one) }
      }
      for await one in group { ended.append(one) }
      return ended
    }
    #expect(Set(ended) == Set(0..<100) && wakes.count == 0)
  }

  @Test("a push wakes only the polls of its space, and a poll whose token was revoked learns of it")
  func revokedWhileWaiting() async throws {
    try await ServerWorld.run { world in
      let token = try world.server.makeToken(for: "anna", name: "phone")
      async let waiting = Client(port: world.client.port, token: token).wait(after: "0")
      while try await !world.client.send("GET", "/metrics").text.contains("holdfast_waiting_polls 1\n") {}
      try world.server.revokeToken(named: "phone")
      _ = try await world.push(book("a"))
      #expect(try await waiting.status == 401)
    }
  }

  @Test("pushes that wait at the same time share a transaction: each is acknowledged with its own rows, and is in the store")
  func groupCommit() async throws {
    try await ServerWorld.run { world in
      // Another writer holds the store until all pushes have arrived.
      let isHeld = DispatchSemaphore(value: 0)
      async let holding: Void = hold(world.server.store, until: isHeld)
      async let replies = withThrowingTaskGroup(of: (Int, Reply).self) { group in
        for number in 0..<80 {
          group.addTask { (number, try await world.push(book("\(number)", at: number == 40 ? ServerWorld.now * 2 : ServerWorld.now))) }
        }
        return try await group.reduce(into: [Int: Reply]()) { $0[$1.0] = $1.1 }
      }
      while try await world.client.send("GET", "/metrics").text.firstMatch(of: #/received_bytes_total 12[5-9][0-9]{2}\n/#) == nil {}
      isHeld.signal()
      try await holding
      for (number, reply) in try await replies {
        #expect(reply.status == (number == 40 ? 422 : 200))
        if number != 40 { #expect(reply.lines.count == 2 && reply.lines.last?.contains("\"k\":\"\(number)\"") == true) }
      }
      #expect(try Set(world.keys()) == Set((0..<80).filter { $0 != 40 }.map(String.init)))
      #expect(try world.server.pushCount() == 79)
      let transactions = try #require(world.server.store.metrics().verbs["push"]?.writes)
      #expect(transactions <= 20, "\(transactions) transactions")
    }
  }

  @Test("a push is noted before it is acknowledged")
  func noted() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("noted-\(UUID().uuidString)")
    let note = file.appendingPathExtension("pushes")
    defer { try? FileManager.default.removeItem(at: note) }
    try await ServerWorld.run(notingBeside: file) { world in
      for number in 1...20 {
        let status = try await world.push(book("\(number)")).status
        let noted = try String(contentsOf: note, encoding: .utf8).dropLast()
        #expect(status == 200 && Int(noted) == number)
      }
    }
  }

  @Test("a push that fails does not fail the others of its transaction")
  func oneFails() async throws {
    try await ServerWorld.run { world in
      try await world.server.store.write { tx in
        _ = try tx.execute(
          "CREATE TRIGGER refuse BEFORE INSERT ON sync_row WHEN new.key = '13' BEGIN SELECT RAISE(ABORT, 'thirteen'); END")
      }
      let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
        for number in 0..<30 { group.addTask { (number, try await world.push(book("\(number)-"), book("\(number)")).status) } }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(statuses.filter { $0.value != 200 } == [13: 503])
      #expect(try world.keys().count == 58 && !world.keys().contains("13-"))
    }
  }

  @Test("the figures count requests by route and status, rows, bytes and polls")
  func metrics() async throws {
    try await ServerWorld.run { world in
      #expect(try await world.client.send("GET", "/healthz").text == "ok\n")
      _ = try await world.push(book("a"), book("b"))
      _ = try await world.push()
      _ = try await world.client.pull()
      _ = try await Client(port: world.client.port).pull()
      _ = try await world.client.send("GET", "/nowhere")
      let lines = try await world.client.send("GET", "/metrics").lines.filter { !$0.hasPrefix("#") && !$0.contains("_bytes_") }
      #expect(
        lines == [
          #"holdfast_requests_total{route="healthz",status="200"} 1"#, #"holdfast_requests_total{route="other",status="404"} 1"#,
          #"holdfast_requests_total{route="pull",status="200"} 1"#, #"holdfast_requests_total{route="pull",status="401"} 1"#,
          #"holdfast_requests_total{route="push",status="200"} 2"#, "holdfast_rows_pushed_total 2", "holdfast_rows_pulled_total 2",
          "holdfast_epochs_begun_total 0", "holdfast_waiting_polls 0",
        ])
    }
  }

  @Test("each request is logged with an id, its route, status and time, and never with a key, a value, a space or a token")
  func log() async throws {
    try await ServerWorld.run { world in
      _ = try await world.push(book("secret-key", title: "secret-title"))
      _ = try await world.push(#"{"k":"secret-key"}"#)
      _ = try await world.client.send("GET", "/v1/spaces/secret-space/wait?after=secret-head")
      let lines = world.log.all.filter { $0.contains(" request ") }
      #expect(lines.filter { $0.contains(#/^info request hb\.request\.id=\S+ ms=[0-9.]+ route=push status=200$/#) }.count == 1)
      #expect(lines.count == 3)
      for word in ["secret", "anna", world.client.token ?? ""] { #expect(world.log.all.filter { $0.contains(word) } == []) }
    }
  }

  @Test("a store that cannot be read makes the server unhealthy")
  func unhealthy() async throws {
    try await ServerWorld.run { world in
      try world.server.store.close()
      let reply = try await world.client.send("GET", "/healthz")
      #expect(reply.status == 503 && reply.headers["retry-after"] == "5")
      #expect(try await world.client.pull().status == 503)
    }
  }
}

/// Keeps the store's writer busy until the signal, on a thread of its own.
private func hold(_ store: Store, until signal: DispatchSemaphore) async throws {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "hold").async { continuation.resume(with: Result { try store.write(as: "hold") { _ in signal.wait() } }) }
  }
}
