import Holdfast

/// What a configuration lets be recorded of events.
struct TelemetryFilter {
  private enum Verdict {
    case kept, secret, personal
  }

  private let analytics: InferenceConfiguration.Analytics
  private let secretProperties: SecretProperties
  private let isLimited: Bool
  /// By name: events have the same few again and again.
  private var verdicts: [String: Verdict] = [:]

  /// A property whose name contains one of these names somebody or something of theirs; what remains of an event under `limited`
  /// consent has none.
  static let personalWords = ["user", "session", "device", "email", "account", "person", "phone"]

  /// Nil when nothing may be recorded. A consent or a level that nobody knows is none.
  init?(_ analytics: InferenceConfiguration.Analytics, _ secretProperties: SecretProperties) {
    guard analytics.isEnabled, analytics.level != .none else { return nil }
    switch analytics.telemetryConsent {
    case .granted: isLimited = false
    case .limited: isLimited = true
    default: return nil
    }
    self.analytics = analytics
    self.secretProperties = secretProperties
  }

  /// What may be recorded of an event; nil when nothing may.
  ///
  /// - Throws: `.invalidValue` when its properties are not a JSON object of texts.
  mutating func admit(_ event: TelemetryEvent) throws -> TelemetryEvent? {
    guard isAdmitted(event.type) else { return nil }
    var admitted = event
    admitted.properties = try admit(event.properties, of: event.id)
    if isLimited {
      admitted.userID = nil
      admitted.sessionID = nil
    }
    if isLimited || !analytics.includesDeviceInfo {
      admitted.deviceInfo = nil
    } else if let info = event.deviceInfo, info.keys.contains(where: secretProperties.contains) {
      for name in info.keys where secretProperties.contains(name) { admitted.deviceInfo?[name] = .string(SecretProperties.mask) }
    }
    return admitted
  }

  private func isAdmitted(_ type: TelemetryEventType) -> Bool {
    switch type {
    case .error: analytics.isErrorReportingEnabled != false
    case .performance: analytics.isPerformanceTrackingEnabled != false
    default: !isLimited
    }
  }

  private mutating func admit(_ properties: JSONColumn<[String: String]>, of id: String) throws -> JSONColumn<[String: String]> {
    var text = properties.text
    let isKept = text.withUTF8 { keepsAll($0) }
    if isKept { return properties }
    let members = try Self.members(of: text, id)
    var kept: [String: JSONValue] = [:]
    for (name, value) in members {
      guard case .string = value else { throw Self.unreadable(id) }
      switch verdict(of: name) {
      case .kept: kept[name] = value
      case .secret: kept[name] = .string(SecretProperties.mask)
      case .personal: break
      }
    }
    return kept == members ? properties : JSONColumn(text: JSONValue.object(kept).canonicalText())
  }

  private static func members(of text: String, _ id: String) throws -> [String: JSONValue] {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard case .object(let members)? = try? scanner.value(), (try? scanner.finish()) != nil else { throw unreadable(id) }
    return members
  }

  /// Without what the text says: it may hold a secret.
  private static func unreadable(_ id: String) -> StoreError {
    StoreError(.invalidValue, "the properties of the event \(id) are not a JSON object of texts")
  }

  /// Whether the text is an object of texts as a machine writes it, without white space and escapes, and may stay as it is. As a rule it
  /// is, and nothing is taken apart.
  private mutating func keepsAll(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    func take(_ mark: UInt8) -> Bool {
      guard place < text.count, text[place] == mark else { return false }
      place += 1
      return true
    }
    func string() -> Range<Int>? {
      guard take(UInt8(ascii: "\"")) else { return nil }
      let start = place
      while place < text.count, text[place] != UInt8(ascii: "\"") {
        if text[place] < 0x20 || text[place] == UInt8(ascii: "\\") { return nil }
        place += 1
      }
      let end = place
      return take(UInt8(ascii: "\"")) ? start..<end : nil
    }
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return place == text.count }
    repeat {
      guard let name = string(), take(UInt8(ascii: ":")), string() != nil,
        verdict(of: String(decoding: text[name], as: UTF8.self)) == .kept
      else { return false }
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) && place == text.count
  }

  private mutating func verdict(of name: String) -> Verdict {
    if let known = verdicts[name] { return known }
    let plain = SecretProperties.plain(name)
    let verdict: Verdict =
      secretProperties.contains(name) ? .secret : isLimited && Self.personalWords.contains(where: plain.contains) ? .personal : .kept
    // Names made at run time must not pile up.
    if verdicts.count >= 1000 { verdicts.removeAll() }
    verdicts[name] = verdict
    return verdict
  }
}
