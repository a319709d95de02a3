import ArgumentParser
import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

struct Sync: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Syncs an inference store with its remote API, or says what waits to be sent.",
    discussion: """
      Of inference stores only. Takes the configuration and the models that the API has, by the rule of the store, then \
      sends what the person has agreed to, and counts as sent what the server has confirmed. The key of the API comes from \
      the store, and the key that opens it from the environment variable HOLDFAST_SECRET_KEY: 32 bytes, as 64 hexadecimal \
      digits or in Base64. No option takes a key, because every user of a computer can read the options of its processes. With --status nothing is sent. The exit code is 2 when the server refused something.

      Example: holdfast sync inference.sqlite --to https://api.example.com
      Example: holdfast sync inference.sqlite --status
      """)

  @Argument(help: "The store whose data are sent.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("The address of the API; https, or http on this computer.", valueName: "url"))
  var to: String?

  @Flag(help: "Say what waits to be sent, and send nothing.")
  var status = false

  @Flag(help: "First queue the rows again that were set aside.")
  var retry = false

  @Option(help: ArgumentHelp("The name by which the server knows this device.", valueName: "id"))
  var device = "holdfast"

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard to != nil || status else { throw ValidationError("The address of the API is missing: --to URL. To send nothing: --status.") }
    guard let to else { return }
    guard Self.address(to) != nil else {
      throw ValidationError(
        // Without the text, which may have a password in it.
        "--to is not the address of an API: give https://… without a user and a query. http is allowed only for this computer.")
    }
    if device.isEmpty { throw ValidationError("--device must not be empty.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let address = status ? nil : to.flatMap(Self.address)
    if address != nil || retry {
      // Refuse a newer store before it is opened for writing.
      let kinds = try Store.kinds(at: store.url, busyTimeout: lock.storeOptions.busyTimeout)
      try refuseNewer(store, kinds, InferenceStore.schema)
    }
    return try withLibrary(store, library, lock, full: address != nil || retry) { library, open in
      guard library.name == InferenceStore.schema.name else {
        throw StoreError(
          .wrongKind, "a library of \(library.name) has no server to sync with", suggestion: "Only inference stores sync.")
      }
      // --status needs no key.
      let key = try address == nil ? nil : SecretKey.inEnvironment(ProcessInfo.processInfo.environment)
      let inference = InferenceStore(open, secretKey: key)
      if address != nil, case .readOnly(let reason) = open.access {
        throw StoreError(.readOnly, "the store cannot record what the server accepts: \(reason); nothing was sent")
      }
      // Before anything is changed or sent.
      if address != nil { try checkKey(inference, hasKey: key != nil) }
      if retry { try inference.retrySetAside() }
      let report = try address.map { try send(inference, to: $0, console) }
      return try Sending(inference, report).answer(console).about(store)
    }
  }

  /// Without https, the API's key would cross the network unencrypted.
  private static func address(_ text: String) -> URL? {
    guard let parts = URLComponents(string: text), parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
    else { return nil }
    return parts.url.flatMap { URLSessionClient.isPrivate($0) ? $0 : nil }
  }

  /// Throws if the store names an API key that is missing or cannot be opened.
  private func checkKey(_ inference: InferenceStore, hasKey: Bool) throws {
    guard let reference = try inference.configuration()?.apiKeyReference else { return }
    guard try inference.secretNames().contains(reference) else {
      throw StoreError(
        .notFound, "the key of the API, \(reference), is not in \(store.path); nothing was sent",
        suggestion: "Set the key of the API in the app.")
    }
    guard hasKey else {
      throw StoreError(
        .encryptionUnavailable, "the key of the API is sealed in \(store.path), and \(SecretKey.variableName) is not set; nothing was sent",
        suggestion: "Set \(SecretKey.variableName) to the key that the app seals its secrets with.")
    }
    _ = try inference.secret(named: reference)
  }

  private func send(_ inference: InferenceStore, to address: URL, _ console: Console) throws -> SyncReport {
    // A proxy may be another computer. Unencrypted http must stay on this one.
    if address.scheme?.lowercased() == "http" { setenv("no_proxy", "*", 1) }
    let client = URLSessionClient(address) { try inference.apiKey() }
    let service = DataSyncService(inference, client: client, options: SyncOptions(deviceID: device))
    let interruption = Interruption()
    return try Activity.show("sending", console) {
      do {
        return try Waiting.result(of: { try await service.sync() }, until: { interruption.isRequested })
      } catch let error as StoreError where error.code == .permissionDenied {
        throw StoreError(error.code, error.message, suggestion: "Set another key of the API in the app.", cause: error)
      } catch let error as StoreError where error.code == .busy {
        throw StoreError(error.code, error.message, suggestion: "Run it again later.", cause: error)
      } catch let error as StoreError where error.message.hasPrefix("the server") {
        throw StoreError(
          error.code, error.message,
          suggestion:
            "Check the network and the address \(address.absoluteString), then run it again; unconfirmed rows still wait.",
          cause: error.cause)
      }
    }
  }
}

/// The output of the command: rows that still wait, and what was sent.
private struct Sending {
  let status: SyncStatus
  let analytics: InferenceConfiguration.Analytics
  let conflicts: Int
  /// Nil: nothing was sent, as asked.
  let report: SyncReport?

  init(_ inference: InferenceStore, _ report: SyncReport?) throws {
    (status, analytics, conflicts) = try inference.store.read { reader in
      (
        try InferenceStore.syncStatus(in: reader), try InferenceStore.configuration(in: reader)?.analytics ?? .init(),
        try reader.count("SELECT count(*) FROM sync_conflicts")
      )
    }
    self.report = report
  }

  private var consent: String { analytics.telemetryConsent.rawValue }

  func answer(_ console: Console) -> Answer {
    var facts = FactList()
    if let report {
      facts.add("taken", Self.words(report.pulled, none: "nothing"))
      facts.add("sent", Self.words(report.acknowledged, none: "nothing"))
      facts.add("refused", Self.words(report.refused, none: ""))
    }
    facts.add("waiting", Self.words(status.pending, none: "nothing"))
    facts.add("since", DisplayText.time(status.oldestPending))
    facts.add("consent", consent)
    facts.add("last taken", DisplayText.time(status.lastAcknowledged))
    facts.add("last error", status.lastError)
    facts.add("not before", DisplayText.time(status.retryAt))
    facts.add("conflicts", conflicts > 0 ? "\(conflicts), see holdfast list … conflicts" : nil)
    for row in status.setAside { facts.add("set aside", "\(row.kind) \(row.id): \(row.reason)") }
    return Answer(
      document: document, text: facts.text, notes: notes, foundProblems: !status.setAside.isEmpty || report?.refused.isEmpty == false)
  }

  private var notes: [String] {
    guard !status.pending.isEmpty else { return [] }
    let agrees = [.granted, .limited].contains(analytics.telemetryConsent)
    if agrees, !analytics.isEnabled || analytics.level == .none { return ["Analytics are off: nothing is sent, whatever the consent."] }
    guard analytics.telemetryConsent != .granted else { return [] }
    let only = agrees ? "only errors and performance are sent" : "nothing is sent"
    return ["The consent is \(DisplayText.printable(consent)): \(only)."]
  }

  private var document: [String: JSONValue] {
    [
      "pulled": report.map { JSONValue.numbers($0.pulled) } ?? .null, "conflicts": .number(conflicts),
      "acknowledged": report.map { JSONValue.numbers($0.acknowledged) } ?? .null,
      "refused": report.map { JSONValue.numbers($0.refused) } ?? .null,
      "pending": .numbers(status.pending), "oldest_pending": .time(status.oldestPending), "consent": .string(consent),
      "set_aside": .array(
        status.setAside.map { row in
          .object(["kind": .string(row.kind), "id": .string(row.id), "reason": .string(row.reason), "tried_at": .time(row.triedAt)])
        }),
      "last_acknowledged": .time(status.lastAcknowledged), "last_error": .text(status.lastError), "retry_at": .time(status.retryAt),
    ]
  }

  /// `3 telemetry, 1 model_metadata`.
  private static func words(_ counts: [String: Int], none: String) -> String {
    counts.isEmpty ? none : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}

/// Asynchronous work for a command, which waits for it on its own thread.
private enum Waiting {
  /// - Parameter isInterrupted: once true, the work is cancelled.
  /// - Throws: what the work throws; `.cancelled` when it was interrupted.
  static func result<T: Sendable>(
    of work: @escaping @Sendable () async throws -> T, until isInterrupted: () -> Bool
  ) throws -> T {
    let outcome = Outcome<T>()
    let task = Task.detached {
      do {
        outcome.set(.success(try await work()))
      } catch {
        outcome.set(.failure(error))
      }
    }
    while true {
      if let result = outcome.wait(milliseconds: 100) {
        guard case .failure = result, isInterrupted() else { return try result.get() }
        throw StoreError(.cancelled, "interrupted; what the server had confirmed before is noted, and everything else waits")
      }
      if isInterrupted() { task.cancel() }
    }
  }
}

private final class Outcome<T: Sendable>: @unchecked Sendable {
  // Guarded by `lock`.
  private var result: Result<T, any Error>?
  private let lock = NSLock()
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ result: Result<T, any Error>) {
    lock.withLock { self.result = result }
    isThere.signal()
  }

  /// Nil when there is no result yet. Waits by uptime: dispatch cannot hold a wall-clock time after the year 2262.
  func wait(milliseconds: Int) -> Result<T, any Error>? {
    _ = isThere.wait(timeout: .now() + .milliseconds(milliseconds))
    return lock.withLock { result }
  }
}
