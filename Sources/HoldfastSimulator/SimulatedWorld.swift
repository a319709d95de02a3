internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer
internal import HoldfastTesting

extension Simulated {
  /// What must happen at least once in a long enough run: a simulator in which it never does proves nothing about it.
  enum Event: String, CaseIterable {
    case parked, evicted, restamped, forked, resynced, merged, lost, cascaded, extra, aside, forgotten, taken, migrated, rewound
    /// A lagging replica, and a synchronous one, has taken the primary's place.
    case failedOver, promoted
    /// A failover lost acknowledged pushes; another one went to a replica that did not know the present epoch.
    case abandoned, nested
    /// A request reached a primary whose place a replica had taken.
    case strayed
    /// A device had seen pushes behind the fork; it had slept through two epochs or more; it was in the midst of a full resync.
    case cut, skipped, interrupted
    /// The server's process ended within a push; a node with another clock answered.
    case ended, misdated
    /// A row was too large, a row was more than the space may hold; a device had too old a schema, or no valid token any more.
    case tooLarge, full, outdated, shutOut
  }

  /// Devices, a server and the network between them.
  final class World {
    struct Message {
      let at: Int64
      /// Breaks ties of `at`.
      let order: Int
      let device: Int
      let life: Int
      let fileLife: Int
      /// The number of the request that it is, or that it answers.
      let number: Int
      let request: SyncRequest
      var response: SyncResponse?
    }

    /// How a device reaches the network.
    struct Link {
      var sends = true
      var hears = true
      /// Whether its token is valid.
      var hasToken = true
    }

    var random: SeededGenerator
    var now: Int64 = 1_700_000_000_000
    let server: Server
    private(set) var devices: [Device] = []
    var links: [Link] = []
    /// Unordered; see `deliver()`.
    var network: [Message] = []
    var messages = 0
    /// Each row that the server took, as it was sent.
    private(set) var acknowledged: [SyncRow] = []
    /// The words in these rows.
    private(set) var taken: Set<String> = []
    /// The generations that people gave to rows by inserting them.
    private(set) var born: [SyncRow.Name: Set<Int64>] = [:]
    /// The words of rows that a device had before it connected with `.takeTheServers`. A row that is edited since travels, with its words.
    var unshared: Set<String> = []
    /// When people wrote the words in the notes of items.
    var written: [String: Stamp] = [:]
    /// Whether the server has taken some rows of a transaction, and refused others: then a device may see half of one.
    var tearsTransactions = false
    /// Whether a device has lost rows that the server had refused: then half of a transaction may stay one.
    var keepsHalves = false
    /// The error of the clock of the node that answers, in milliseconds.
    var nodeError: Int64 = 0
    private(set) var events: [Event: Int] = [:]
    private var wordCount = 0
    private var newWords: Set<String> = []
    private var nodes: Int64 = 0

    private let key: StoreKey?

    /// - Parameters:
    ///   - skews: the errors of the devices' clocks in milliseconds: one for each device.
    ///   - key: seals the space.
    init(
      seed: UInt64 = 0, skews: [Int64] = [0, 0], versions: [Int] = [], key: StoreKey? = nil,
      existing: (Int, Writer) throws -> Void = { _, _ in }
    ) throws {
      random = SeededGenerator(seed: seed)
      self.key = key
      server = try Server(key: key)
      for (number, skew) in skews.enumerated() {
        try add(version: number < versions.count ? versions[number] : 2, skew: skew) { tx in try existing(number, tx) }
      }
    }

    @discardableResult
    func add(
      version: Int, skew: Int64, first: StoreSync.FirstConnection = .merge, existing: (Writer) throws -> Void = { _ in }
    ) throws -> Device {
      newWords = []
      let device = try Device(
        devices.count, version: version, skew: skew, node: node(), key: key, at: now, first: first, existing: existing)
      if first == .takeTheServers { unshared.formUnion(newWords) }
      devices.append(device)
      links.append(Link())
      try noteBirths(device.store.read { reader in try device.generations(in: reader) })
      return device
    }

    /// A number that no opening has had.
    func node() -> Int64 {
      nodes += 1
      // The order of the nodes says nothing about their age.
      return (nodes &* 0x9E_3779_B97F) & Stamp.largestNode
    }

    func count(_ event: Event, _ times: Int = 1) { if times > 0 { events[event, default: 0] += times } }

    // MARK: Writing

    /// A word that nobody has written before.
    func word() -> String {
      wordCount += 1
      let digits = String(wordCount)
      let word = "v" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      newWords.insert(word)
      return word
    }

    /// A transaction of the app on a device. False when a constraint refused it.
    @discardableResult
    func write(_ number: Int, _ body: (Writer) throws -> Void) throws -> Bool {
      newWords = []
      devices[number].clock.now = now
      let before = unshared.isEmpty ? [:] : try devices[number].rows()
      guard let changed = try devices[number].write(words: { self.newWords }, body) else { return false }
      noteBirths(changed)
      written.merge(try devices[number].notes(with: newWords)) { max($0, $1) }
      if !unshared.isEmpty { unshared.subtract(Self.edited(from: before, to: try devices[number].rows()).words) }
      return true
    }

    /// The rows that an edit has changed, and all their words: such a row travels whole.
    static func edited(
      from before: [SyncRow.Name: RowValues], to after: [SyncRow.Name: RowValues]
    ) -> (names: [SyncRow.Name], words: Set<String>) {
      let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
      let texts = names.flatMap { [before[$0], after[$0]] }.compactMap(\.self).flatMap(\.values)
      return (names, Set(texts.flatMap { Device.words(in: $0.text) }))
    }

    func noteBirths(_ generations: [SyncRow.Name: Int64]) {
      for (name, generation) in generations where generation & 1 == 1 { born[name, default: []].insert(generation) }
    }

    // MARK: Requests and answers

    /// The server's answer, with what it takes noted.
    func answer(_ request: SyncRequest, of device: Device, fileLife: Int, pageRows: Int = 1_000) throws -> SyncResponse {
      guard links[device.number].hasToken else {
        count(.shutOut)
        return SyncResponse(.failed(StoreError(.permissionDenied, "the token is not valid")), now: now, epoch: "")
      }
      let response = try server.answer(request, at: now + nodeError, pageRows: pageRows)
      if nodeError != 0 { count(.misdated) }
      if case .oldSchema = response.outcome { count(.outdated) }
      if case .branched(let fork?) = response.outcome, let epoch = request.epoch {
        if fork < request.cursor { count(.cut) }
        if server.epochs(after: epoch) > 1 { count(.skipped) }
      }
      guard case .push(let sent) = request.verb, case .pushed(let stored, let refused, _) = try response.opened(by: server.seal).outcome
      else { return response }
      let rows = try sent.map { try server.seal?.opened($0) ?? $0 }
      count(.tooLarge, refused.count { $0.code == "row_too_large" })
      count(.full, refused.count { $0.code == "quota" })
      let merged = Dictionary(uniqueKeysWithValues: stored.map { ($0.row.name, $0.row) })
      for row in rows where !refused.contains(where: { $0.name == row.name }) {
        if merged[row.name] != row { count(.merged) }
        server.held.insert(acknowledged.count)
        if device.fileLife == fileLife { device.held.insert(acknowledged.count) }
        acknowledged.append(row)
        for value in row.current.values { taken.formUnion(Device.words(in: value.text)) }
      }
      try server.commit(&random)
      return response
    }

    func receive(_ response: SyncResponse, to request: SyncRequest, _ device: Device) throws {
      if case .branched = response.outcome, request.cursor > 0, try device.count("SELECT is_resync <> 0 FROM holdfast_sync") > 0 {
        count(.interrupted)
      }
      switch response.outcome {
      case .future: count(.restamped)
      case .branched(fork: nil): if request.epoch != nil { count(.resynced) }
      case .branched: count(.forked)
      default: break
      }
      device.clock.now = now
      for (event, times) in try device.receive(
        response, server.seal, to: request, taken: taken, tears: tearsTransactions)
      { count(event, times) }
    }

    /// One round of a device with a network that does not fail. Returns whether it brought anything to either side.
    func exchange(_ number: Int, pageRows: Int = 1_000) throws -> Bool {
      let device = devices[number]
      var brought = false
      device.clock.now = now
      device.sync.beginRound()
      for _ in 0..<200 {
        now += 10
        device.clock.now = now
        try device.setTime()
        guard let request = try device.sync.next() else { return brought }
        let response = try answer(request, of: device, fileLife: device.fileLife, pageRows: pageRows)
        if case .page(let rows, _, _) = response.outcome, rows.isEmpty {} else { brought = true }
        try receive(response, to: request, device)
      }
      throw Violation("a round of device \(number) does not end")
    }

    /// What is under way is lost, and all devices reach the network again.
    func mendNetwork() {
      network = []
      for number in devices.indices {
        devices[number].waiting = nil
        links[number] = Link()
      }
    }

    /// The network works again, and the server takes what it refused: rounds of all devices until nothing moves. Then everything is checked.
    func settle() throws {
      mendNetwork()
      try limit(SyncLimits())
      try server.requireSchema(0)
      for _ in 0..<60 {
        let brought = try devices.indices.filter { try exchange($0, pageRows: random.pick([1, 3, 1_000])) }
        guard try brought.isEmpty && devices.allSatisfy({ try $0.pending == 0 }) else { continue }
        return try check()
      }
      let pending = try devices.map { "\(try $0.pending)" }.joined(separator: ", ")
      throw Violation("60 rounds, and still something moves; rows that wait: \(pending)")
    }
  }
}
