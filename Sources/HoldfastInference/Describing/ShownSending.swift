import Foundation
import Holdfast
import HoldfastTransfer

extension ShownInference {
  static let sync = SyncDescription(
    """
    An inference store takes the configuration and the models that its API has, by the rule of the store, then sends what the person has \
    agreed to, and counts as sent what the server has confirmed. The key of the API comes from the store, and the key that opens it from the \
    environment variable \(SecretKey.variableName): 32 bytes, as 64 hexadecimal digits or in Base64.
    """, accepts: URLSessionClient.isPrivate
  ) { request, store in
    // What only looks needs no key.
    let key = try request.address == nil ? nil : SecretKey.inEnvironment(request.environment)
    let inference = InferenceStore(store, secretKey: key)
    if request.address != nil {
      // Before anything is changed or sent.
      try DataSyncService.checkWritable(store)
      try await store.read { try checkAPIKey(inference, hasKey: key != nil, in: $0) }
    }
    if request.retries { try await inference.retrySetAside() }
    let report: SyncReport?
    if let address = request.address {
      let client = URLSessionClient(address) { try await inference.apiKey() }
      report = try await DataSyncService(inference, client: client, options: SyncOptions(deviceID: request.device)).sync()
    } else {
      report = nil
    }
    return try await store.read { try Sending(report, in: $0).shown }
  }

  /// Throws if the store names an API key that is missing or cannot be opened.
  private static func checkAPIKey(_ inference: InferenceStore, hasKey: Bool, in reader: Reader) throws {
    guard let name = try InferenceStore.apiKeyReference(of: InferenceConfiguration.defaultID, in: reader) else { return }
    let path = inference.store.url?.path ?? "the store"
    guard try InferenceStore.secretNames(in: reader).contains(name) else {
      throw StoreError(
        .notFound, "the key of the API, \(name), is not in \(path); nothing was sent", suggestion: "Set the key of the API in the app.")
    }
    guard hasKey else {
      throw StoreError(
        .encryptionUnavailable, "the key of the API is sealed in \(path), and \(SecretKey.variableName) is not set; nothing was sent",
        suggestion: "Set \(SecretKey.variableName) to the key that the app seals its secrets with.")
    }
    _ = try inference.secret(named: name, in: reader)
  }
}

/// Rows that still wait, and what was sent.
private struct Sending {
  let status: SyncStatus
  let consent: TelemetryConsent
  let maySend: Bool
  let conflicts: Int
  /// Nil: nothing was sent, as asked.
  let report: SyncReport?

  init(_ report: SyncReport?, in reader: Reader) throws {
    status = try InferenceStore.syncStatus(in: reader)
    consent = try InferenceStore.consent(in: reader)
    maySend = try TelemetryFilter(.standard, in: reader) != nil
    conflicts = try InferenceStore.conflictCount(in: reader)
    self.report = report
  }

  var shown: ShownSync {
    var facts = Self.fields.compactMap { field in field.title.map { (name: $0, words: field.value(self).words) } }
    facts += status.setAside.map { (name: "set aside", words: "\($0.kind) \($0.id): \($0.reason)") }
    return ShownSync(
      Shown(Self.fields.members(of: self), [.facts(facts)]), notes: notes,
      hasRefusals: !status.setAside.isEmpty || report?.refused.isEmpty == false)
  }

  private static let fields = ShownFields<Sending>([
    "pulled": { counts($0.report?.pulled, none: "nothing") }, "acknowledged": { counts($0.report?.acknowledged, none: "nothing") },
    "refused": { counts($0.report?.refused, none: "") }, "pending": { counts($0.status.pending, none: "nothing") },
    "conflicts": { .told(.count($0.conflicts), $0.conflicts > 0 ? "\($0.conflicts), see holdfast list … conflicts" : nil) },
    "set_aside": { ShownProperties().list(of: $0.status.setAside) },
  ]).titled([
    "pulled": "taken", "acknowledged": "sent", "refused": "refused", "pending": "waiting", "oldest_pending": "since", "consent": "consent",
    "last_acknowledged": "last taken", "last_error": "last error", "retry_at": "not before", "conflicts": "conflicts", "set_aside": nil,
  ])

  /// `3 telemetry, 1 model_metadata`; null and no words when nothing was sent, as asked.
  private static func counts(_ counts: [String: Int]?, none: String) -> ShownValue {
    guard let counts else { return .text(nil) }
    let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return .told(.json(.object(counts.mapValues { .integer(Int64($0)) })), counts.isEmpty ? none : words)
  }

  private var notes: [String] {
    guard !status.pending.isEmpty else { return [] }
    let agrees = [.granted, .limited].contains(consent)
    if agrees, !maySend { return ["Analytics are off: nothing is sent, whatever the consent."] }
    guard consent != .granted else { return [] }
    return ["The consent is \(consent.rawValue): \(agrees ? "only errors and performance are sent" : "nothing is sent")."]
  }
}
