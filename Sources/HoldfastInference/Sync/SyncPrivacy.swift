/// What a server may not do, whatever wins otherwise: give consent, or loosen what keeps a person's words and doings on the device.
enum SyncPrivacy {
  /// Whether the server's value of a field of a configuration may take the place of ours. Making it stricter it always may, except for
  /// consent, which is the person's word and nobody else's.
  static func allows(_ name: String, of theirs: InferenceConfiguration, over ours: InferenceConfiguration) -> Bool {
    let hasConsent = ours.analytics.telemetryConsent == .granted
    switch name {
    case "analytics.telemetryConsent": return false
    case "analytics.includeDeviceInfo": return !theirs.analytics.includesDeviceInfo
    case "analytics.includeModelInfo": return !theirs.analytics.includesModelInfo
    case "analytics.enabled": return hasConsent || !theirs.analytics.isEnabled
    case "analytics.liveMetricsEnabled": return hasConsent || !theirs.analytics.areLiveMetricsEnabled
    case "analytics.level": return hasConsent || isStricter(theirs.analytics.level, than: ours.analytics.level, in: levels)
    case "routing.cloudEnabled": return !theirs.routing.isCloudEnabled
    case "routing.privacyMode": return isStricter(theirs.routing.privacyMode, than: ours.routing.privacyMode, in: modes)
    case "routing.policy": return ours.routing.isCloudEnabled || isStricter(theirs.routing.policy, than: ours.routing.policy, in: policies)
    // What decides when a request goes to the cloud.
    case "routing.customRules", "routing.maxLatencyThreshold", "routing.minConfidenceScore": return ours.routing.isCloudEnabled
    default: return true
    }
  }

  // The strictest first. A word that nobody knows may mean anything: it is no stricter than another, and what takes its place without
  // being allowed to is the strictest that there is.

  private static let policies: [RoutingPolicy] = [.deviceOnly, .preferDevice, .automatic, .preferCloud]
  private static let modes: [PrivacyMode] = [.strict, .standard]
  private static let levels: [AnalyticsLevel] = [.none, .basic, .detailed, .verbose]

  private static func isStricter<Word: Equatable>(_ theirs: Word, than ours: Word, in known: [Word]) -> Bool {
    guard let place = known.firstIndex(of: theirs) else { return false }
    return place < known.firstIndex(of: ours) ?? 1
  }
}
