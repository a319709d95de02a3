import Foundation
import Holdfast

/// Decides what a configuration allows to record and to send of events. Recording and sending both use it.
struct TelemetryFilter {
  private enum Verdict {
    case kept, secret, leftOut
  }

  private let analytics: InferenceConfiguration.Analytics
  let secretProperties: SecretProperties
  /// Only errors and performance, without personal data.
  let isLimited: Bool
  /// Only errors and performance.
  private let hasFewTypes: Bool
  /// Types that the level excludes, or a setting of their own, which has priority.
  private let leftOut: [TelemetryEventType]
  /// Words in names of properties that are left out.
  private let leftOutWords: [String]
  /// By their bytes, in the order of their first use: events have the same few names, usually in the same order.
  private var known: [(name: [UInt8], verdict: Verdict)] = []
  /// The index in `known` after the last name.
  private var next = 0

  /// A property whose name contains one of these refers to a person, a session or a device; `limited` consent leaves it out.
  static let personalWords = ["user", "session", "device", "email", "account", "person", "phone"]

  /// By the stored configuration; nil when nothing may be recorded or sent, also without a configuration. An unknown consent counts as
  /// denied.
  ///
  /// - Parameter configurationID: for sending, the app's default configuration.
  init?(
    _ secretProperties: SecretProperties, of configurationID: String = InferenceConfiguration.defaultID, in reader: Reader
  ) throws {
    guard let analytics = try reader.first(AnalyticsRow.self, "WHERE configuration_id = \(configurationID)")?.analytics,
      analytics.isEnabled, analytics.level != .none
    else { return nil }
    switch analytics.telemetryConsent {
    case .granted: isLimited = false
    case .limited: isLimited = true
    default: return nil
    }
    var leftOut: [TelemetryEventType] = []
    if analytics.isErrorReportingEnabled == false { leftOut.append(.error) }
    // An unknown level counts as the lowest that records anything.
    let isDetailed = analytics.level == .detailed || analytics.level == .verbose
    if !(analytics.isPerformanceTrackingEnabled ?? isDetailed) { leftOut.append(.performance) }
    if analytics.level != .verbose { leftOut.append(.memory) }
    self.leftOut = leftOut
    hasFewTypes = isLimited || analytics.areMetricsEnabled == false
    leftOutWords =
      (isLimited ? Self.personalWords : []) + (analytics.includesDeviceInfo ? [] : ["device"])
      + (analytics.includesModelInfo ? [] : ["model"])
    self.analytics = analytics
    self.secretProperties = secretProperties
  }

  /// As `isAdmitted`, in SQL, so that excluded events are not read again and again.
  var admittedTypes: BoundSQL {
    var condition: BoundSQL =
      hasFewTypes ? "type IN (\(TelemetryEventType.error.rawValue), \(TelemetryEventType.performance.rawValue))" : "true"
    for type in leftOut { condition = "\(sql: condition) AND type <> \(type.rawValue)" }
    return condition
  }

  /// Removes from an event what may not be recorded or sent; false when nothing of it may.
  ///
  /// - Throws: `.invalidValue` when the properties are not a JSON object of texts.
  mutating func admit(_ event: inout TelemetryEvent) throws -> Bool {
    guard isAdmitted(event.type) else { return false }
    if let admitted = try admit(event.properties, of: event.id) { event.properties = admitted }
    if isLimited {
      event.userID = nil
      event.sessionID = nil
    }
    if isLimited || !analytics.includesDeviceInfo {
      event.deviceInfo = nil
    } else if let info = event.deviceInfo {
      event.deviceInfo = secretProperties.masked(info)
    }
    return true
  }

  private func isAdmitted(_ type: TelemetryEventType) -> Bool {
    !leftOut.contains(type) && (!hasFewTypes || type == .error || type == .performance)
  }

  /// Nil when the properties need no change.
  private mutating func admit(_ properties: StoredJSON<[String: String]>, of id: String) throws -> StoredJSON<[String: String]>? {
    var text = properties.text
    let isKept = text.withUTF8 { keepsAll($0) }
    if isKept { return nil }
    // The error does not contain the text, which may hold a secret.
    func unreadable() -> StoreError { StoreError(.invalidValue, "the properties of the event \(id) are not a JSON object of texts") }
    guard let members = [String: JSONValue](json: text) else { throw unreadable() }
    var kept: [String: JSONValue] = [:]
    for (name, value) in members {
      guard case .string = value else { throw unreadable() }
      var bytes = name
      switch bytes.withUTF8({ verdict(of: $0) }) {
      case .kept: kept[name] = value
      case .secret: kept[name] = .string(SecretProperties.mask)
      case .leftOut: break
      }
    }
    return kept == members ? nil : StoredJSON(text: JSONValue.object(kept).canonicalText())
  }

  /// Whether the text is an object of texts without white space and escapes, as a machine writes it, and needs no change. This
  /// is the usual case, and nothing is decoded.
  private mutating func keepsAll(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // A loop without an exit handles many bytes at once.
    var odd: UInt8 = 0
    for byte in text { odd |= (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0) }
    guard odd == 0 else { return false }
    var place = 0
    func take(_ mark: UInt8) -> Bool {
      guard place < text.count, text[place] == mark else { return false }
      place += 1
      return true
    }
    func string() -> UnsafeBufferPointer<UInt8>? {
      guard take(UInt8(ascii: "\"")) else { return nil }
      let rest = UnsafeBufferPointer(rebasing: text[place...])
      guard let base = rest.baseAddress, let quote = memchr(base, Int32(UInt8(ascii: "\"")), rest.count) else { return nil }
      let count = UnsafeRawPointer(quote) - UnsafeRawPointer(base)
      place += count + 1
      return UnsafeBufferPointer(start: base, count: count)
    }
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return place == text.count }
    repeat {
      guard let name = string(), take(UInt8(ascii: ":")), string() != nil, verdict(of: name) == .kept else { return false }
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) && place == text.count
  }

  private mutating func verdict(of name: UnsafeBufferPointer<UInt8>) -> Verdict {
    for step in known.indices {
      let place = next + step < known.count ? next + step : next + step - known.count
      guard Self.isEqual(name, known[place].name) else { continue }
      next = place + 1
      return known[place].verdict
    }
    // Limits names that are made at run time.
    if known.count >= 500 { known.removeAll() }
    let verdict = verdict(of: String(decoding: name, as: UTF8.self))
    known.append((Array(name), verdict))
    next = known.count
    return verdict
  }

  private static func isEqual(_ name: UnsafeBufferPointer<UInt8>, _ other: [UInt8]) -> Bool {
    guard name.count == other.count, let start = name.baseAddress else { return name.isEmpty && other.isEmpty }
    return other.withUnsafeBytes { stored in stored.baseAddress.map { memcmp($0, start, stored.count) == 0 } ?? true }
  }

  private func verdict(of name: String) -> Verdict {
    if secretProperties.contains(name) { return .secret }
    let plain = SecretProperties.plain(name)
    return leftOutWords.contains(where: plain.contains) ? .leftOut : .kept
  }
}
