import ArgumentParser
import Foundation
import Holdfast
import HoldfastHTTP
import HoldfastSync
import HoldfastTransfer

struct Sync: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shares a store among a person's devices, through a space on their own server.",
    discussion: """
      The first time, --space connects the store; its rows are merged with those of the space, or with --take-the-servers replaced by them. \
      The device's token comes from the environment variable \(tokenVariable), or from the descriptor that --token-fd names; no option takes \
      it, because others can read command lines. On a new device, where the store is not there yet, --library makes an empty one first. \
      The key of a sealed space comes from \
      \(CommandKey.spaceVariable), or from the descriptor that \(CommandKey.spaceVariable)_FD names. The exit code is 2 when \
      the server has refused rows. What lost on this device is kept: --lost lists it, --restore and --discard take the numbers of the list. \
      --discard and --forget ask on a terminal; elsewhere they need --yes.

      Example: \(Program.name) sync library.sqlite --to https://sync.example.com --space anna
      Example: \(Program.name) sync new.sqlite --to https://sync.example.com --space anna --library \(Libraries.all.first?.name ?? "NAME")
      Example: \(Program.name) sync library.sqlite --restore 3
      Example: \(Program.name) sync library.sqlite --status
      """)

  static let tokenVariable = "HOLDFAST_SYNC_TOKEN"

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("The address of the server; https, or http on this computer.", valueName: "url"))
  var to: String?

  @Option(help: ArgumentHelp("The space to connect the store to. Later the store knows it.", valueName: "name"))
  var space: String?

  @Option(
    help: ArgumentHelp("On a new device: if there is no store yet, make an empty one of this library.", valueName: "name"),
    completion: .list(Libraries.all.map(\.name)))
  var library: String?

  @Flag(help: "When connecting: replace this store's rows by those of the space. What the space lacks is deleted here, and kept in --lost.")
  var takeTheServers = false

  @Option(name: .customLong("token-fd"), help: ArgumentHelp("The open file descriptor to read the token from.", valueName: "n"))
  var tokenDescriptor: Int32?

  @Flag(help: "Go on syncing until interrupted, and print each change of the status.")
  var watch = false

  @Flag(help: "Say what waits, and ask nothing of the server.")
  var status = false

  @Flag(help: "List the values of this device that lost against later ones.")
  var lost = false

  @Option(help: ArgumentHelp("Write what lost under this number back into its table. May be given several times.", valueName: "number"))
  var restore: [Int64] = []

  @Option(help: ArgumentHelp("Take what lost under this number off the list, for good. May be given several times.", valueName: "number"))
  var discard: [Int64] = []

  @Flag(name: [.short, .long], help: "Discard or forget without asking.")
  var yes = false

  @Flag(help: "Forget what other devices have purged: the snapshots and the archive of the store begin anew.")
  var forget = false

  @Flag(help: "Compare everything with the server: now with --to, otherwise at the next sync.")
  var resync = false

  @Flag(help: "End sync, and forget what was noted for it. The rows stay.")
  var disconnect = false

  @Flag(help: "Disconnect also while changes wait, which then stay on this device only.")
  var force = false

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let to {
      guard let address = serverAddress(to), HTTPClient.isPrivate(address) else {
        throw ValidationError(
          // Without the text, which may have a password in it.
          "--to is not the address of a server: give https://… without a user and a query. http is allowed only for this computer.")
      }
    } else if space != nil || library != nil || tokenDescriptor != nil || watch || takeTheServers {
      throw ValidationError("--space, --library, --take-the-servers, --token-fd and --watch need --to URL.")
    }
    let alone = [status, lost, forget, disconnect, !restore.isEmpty, !discard.isEmpty].count { $0 }
    guard alone + (to == nil && !resync ? 0 : 1) == 1 else {
      throw ValidationError(
        "Give one of --to URL, --status, --lost, --restore, --discard, --forget, --resync and --disconnect; --resync also together with --to."
      )
    }
    try LibraryOption.check(library)
    if yes, discard.isEmpty, !forget { throw ValidationError("--yes is for --discard and --forget only.") }
    if space?.isEmpty == true { throw ValidationError("--space must not be empty.") }
    if force, !disconnect { throw ValidationError("--force is for --disconnect only.") }
    if watch, output.json { throw ValidationError("--watch prints lines, and --json one document.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let token = try to == nil ? nil : Self.token(from: tokenDescriptor)
    let key = try to == nil ? nil : CommandKey.space.get()
    let looks = status || lost
    let kinds = try kinds()
    // Refuse a newer store before it is opened for writing.
    if !looks { for schema in Libraries.schemas(kinds) { try refuseNewer(store, kinds, schema) } }
    let open = try openWhole(store, lock, reads: looks)
    return try closing(open) { try perform(open, kinds, token, key, console) }.about(store)
  }

  /// What the store holds. Where there is none, --library makes it.
  private func kinds() throws -> [String: Int] {
    try finishInterrupted(store, lock.storeOptions)
    let kinds = try Store.kinds(at: store.url, options: lock.storeOptions)
    guard kinds.isEmpty else {
      if library != nil { _ = try Libraries.held(kinds, in: store.path, named: library) }
      return kinds
    }
    guard let wanted = Libraries.all.first(where: { $0.name == library }) else {
      var error = nothing(at: store)
      if to != nil, error.recoveryOptions.isEmpty {
        error.suggestion = "On a new device, make an empty store with \(Libraries.choices(Libraries.all))."
      }
      throw error
    }
    try checkSyncs([wanted.schema], wanted.name)
    guard space != nil else { throw Self.noSpace }
    try refuseBesideCopies(store, "nothing was made")
    try Store.open(at: store.url, schemas: [wanted.schema], options: lock.storeOptions).close()
    return try Store.kinds(at: store.url, options: lock.storeOptions)
  }

  private func checkSyncs(_ schemas: [StoreSchema], _ names: String) throws {
    guard !schemas.contains(where: { $0.declarations.contains { $0.synced != nil } }) else { return }
    throw StoreError(.wrongKind, "nothing of \(names) syncs between devices", suggestion: "The library must declare what should sync.")
  }

  private static let noSpace = ValidationError("The store is not connected yet: give --space NAME.")

  private func perform(_ open: Store, _ kinds: [String: Int], _ token: String?, _ key: StoreKey?, _ console: Console) throws -> Answer {
    let names = kinds.keys.sorted().joined(separator: " and ")
    guard !open.schemas.isEmpty else {
      throw StoreError(.wrongKind, "\(store.path) holds \(names), which this program does not know")
    }
    try checkSyncs(open.schemas, names)
    let known = try StoreSync.space(of: open)
    guard let space = space ?? known else {
      if to != nil { throw Self.noSpace }
      throw StoreError(
        .misuse, "\(store.path) is not connected to a space", suggestion: "\(Program.name) sync \(store.shellWord) --to URL --space NAME")
    }
    if let known, takeTheServers {
      throw ValidationError(
        "The store is connected to \(DisplayText.printable(known)) already: leave --take-the-servers out. What was chosen at its connecting "
          + "holds until its first sync is over.")
    }
    let address = to.flatMap(serverAddress)
    let sync = try StoreSync(open, server: address.map { .init($0, space: space, key: key) { token } } ?? .init(space: space, .none))
    if lost { return try list(sync.lost(), console) }
    if !restore.isEmpty || !discard.isEmpty { return try settle(sync, console) }
    if forget { return try forget(sync, console) }
    try run(sync, isConnected: known != nil, console)
    guard !disconnect else {
      return Answer(
        document: ["space": .string(space), "disconnected": .bool(true)], text: "disconnected from \(DisplayText.printable(space))\n")
    }
    let status = try sync.status()
    let facts = Self.fields.compactMap { field in field.title.map { (name: $0, words: field.value(status).words) } }
    var answer = Answer(
      document: Self.fields.members(of: status).merging(["space": .string(space)]) { $1 },
      blocks: [.facts([(name: "space", words: space)] + facts)])
    answer.foundProblems = status.refused > 0
    if status.lost > 0 {
      answer.notes.append(
        "What lost on this device is kept: \(Program.name) sync \(store.shellWord) --lost lists it, and --restore NUMBER brings it back.")
    }
    return answer
  }

  private func run(_ sync: StoreSync, isConnected: Bool, _ console: Console) throws {
    guard !status else { return }
    let (goesOn, talks, interruption) = (watch, to != nil, Interruption())
    func work() throws {
      try Waiting.result(
        of: { [disconnect, force, resync, takeTheServers] in
          if disconnect { return try await sync.disconnect(force: force) }
          if talks, !isConnected { try await sync.connect(takeTheServers ? .takeTheServers : .merge) }
          if resync { try await sync.resync() }
          if goesOn { try await Self.watch(sync, console) } else if talks { try await Self.finish(sync) }
        }, until: { interruption.isRequested })
    }
    try goesOn ? work() : Activity.show("syncing", console, work)
  }

  /// Refused rows are told with the status.
  private static func finish(_ sync: StoreSync) async throws {
    do {
      try await sync.finish()
    } catch let error as StoreError where error.code == .invalidValue {
      guard try sync.status().refused > 0 else { throw error }
    }
  }

  /// Ends with its task.
  private static func watch(_ sync: StoreSync, _ console: Console) async throws {
    try sync.start()
    var last = ""
    for await status in sync.updates() {
      let counts = [
        (status.pending, "waiting"), (status.refused, "refused"), (status.parked, "parked"), (status.lost, "lost"),
        (status.forgetting, "to forget"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      let words = (counts + (status.problem.map { [$0.message] } ?? [])).joined(separator: ", ")
      let line = words.isEmpty ? "nothing waits" : words
      if line != last { try console.write("\(DisplayText.time(Date()))  \(line)") }
      last = line
    }
    await sync.stop()
  }

  /// Restores or discards what the options name, after all of it was found.
  private func settle(_ sync: StoreSync, _ console: Console) throws -> Answer {
    let listed = try sync.lost()
    let entries = try (restore + discard).map { number in
      guard let entry = listed.first(where: { $0.id == number }) else {
        throw StoreError(.notFound, "nothing lost under the number \(number)", suggestion: "\(Program.name) sync \(store.shellWord) --lost")
      }
      return entry
    }
    guard discard.isEmpty else {
      try Confirmation.ask("Discards \(ShownValue.counted(entries.count, "entry", "entries")) for good.", yes: yes, console)
      for entry in entries { try sync.discard(entry) }
      return Answer(document: ["discarded": .number(entries.count)], text: "discarded \(entries.count)\n")
    }
    var left = entries
    while !left.isEmpty {
      var refusal: StoreError?
      let count = left.count
      left = try left.filter { entry in
        do { try sync.restore(entry) } catch let error as StoreError where error.code == .constraint {
          // A row that it refers to may come after it.
          refusal = refusal ?? error
          return true
        }
        return false
      }
      if let refusal, left.count == count { throw refusal }
    }
    return Answer(document: ["restored": .number(entries.count)], text: "restored \(entries.count); the next sync sends it\n")
  }

  /// Asks only where there is something to forget.
  private func forget(_ sync: StoreSync, _ console: Console) throws -> Answer {
    let count = try sync.status().forgetting
    var document: [String: JSONValue] = ["forgotten": .number(count)]
    if count > 0 {
      try Confirmation.ask(
        """
        \(ShownValue.counted(count, "purged row")) to forget. This removes all snapshots of \(store) and what was set aside of it, and its \
        archive begins anew: nothing of before can come back.
        """, yes: yes, console)
    }
    let report = try Activity.show("forgetting", console) { try Waiting.result(of: { try await sync.forget() }, until: { false }) }
    guard let report else { return Answer(document: document, notes: ["There is nothing to forget."]) }
    document["snapshots"] = .number(report.snapshots.count)
    document["set_aside"] = .number(report.setAside)
    document["quarantined"] = .number(report.quarantined)
    document["began_archive_anew"] = .bool(report.beganArchiveAnew)
    document["source_backups"] = .texts(report.sourceBackups)
    var facts: FactList = [
      "forgotten": ShownValue.counted(count, "row"), "removed": ShownValue.counted(report.snapshots.count, "snapshot"),
    ]
    if report.setAside > 0 { facts.add("set aside", "\(ShownValue.counted(report.setAside, "folder")) removed") }
    if report.quarantined > 0 { facts.add("quarantine", "\(ShownValue.counted(report.quarantined, "record")) removed") }
    if report.beganArchiveAnew { facts.add("archive", "begun anew") }
    let kept = report.sourceBackups.map { "A copy of an import's source may still have the rows: \(DisplayText.printable($0))" }
    return Answer(document: document, text: facts.text, notes: kept)
  }

  // MARK: Showing

  private static let fields: [ShownField<StoreSync.Status>] = [
    .init("pending", "waiting") { .told(.count($0.pending), $0.pending == 0 ? "nothing" : ShownValue.counted($0.pending, "row")) },
    .init("oldest_pending", "since") { .time($0.oldestPending) }, .init("last_synced", "last synced") { .time($0.lastSynced) },
    .init("refused", "refused") { ShownValue.count($0.refused).unlessZero },
    .init("parked", "parked") { ShownValue.count($0.parked).unlessZero },
    .init("lost", "lost") { ShownValue.count($0.lost).unlessZero },
    .init("forgetting", "to forget") { ShownValue.count($0.forgetting).unlessZero },
  ]

  private func list(_ lost: [StoreSync.Lost], _ console: Console) -> Answer {
    var table = TextTable([.number("NUMBER"), .text("AT"), .text("TABLE"), .text("KEY"), .flexible("VALUES")], keys: "KEY")
    for entry in lost {
      let values = entry.values.sorted { $0.key < $1.key }.map { "\($0.key) \(SyncValue.text(of: $0.value).text)" }
      table.add([String(entry.id), DisplayText.time(entry.at), entry.table, entry.key, values.joined(separator: ", ")])
    }
    let entries = lost.map { entry -> JSONValue in
      let values = entry.values.mapValues { JSONValue(json: SyncValue.text(of: $0).text) ?? .null }
      return .object([
        "id": .integer(entry.id), "at": .time(entry.at), "table": .string(entry.table), "key": .string(entry.key),
        "values": .object(values),
      ])
    }
    return Answer(
      document: ["lost": .array(entries)], text: lost.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: lost.isEmpty ? ["No value has lost."] : [])
  }

  // MARK: Options

  private static func token(from descriptor: Int32?) throws -> String {
    let given = descriptor == nil ? ProcessInfo.processInfo.environment[tokenVariable] : descriptor.flatMap { StoreKey.content(of: $0) }
    let token = given?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !token.isEmpty else {
      throw ValidationError("The device's token is missing: set \(tokenVariable), or name an open file descriptor with --token-fd.")
    }
    return token
  }
}
