/// What a server may never do, even if it wins otherwise: give consent, or weaken the protection of the person's data.
enum SyncPrivacy {
  /// Whether the server's value of a configuration field may replace ours. A stricter value is always allowed, except for the
  /// consent: only the person decides it.
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
    // These fields decide when a request goes to the cloud.
    case "routing.customRules", "routing.maxLatencyThreshold", "routing.minConfidenceScore": return ours.routing.isCloudEnabled
    default: return true
    }
  }

  // The strictest first. An unknown word may mean anything, so it is never stricter than another word, and only the strictest
  // word may replace it.

  private static let policies: [RoutingPolicy] = [.deviceOnly, .preferDevice, .automatic, .preferCloud]
  private static let modes: [PrivacyMode] = [.strict, .standard]
  private static let levels: [AnalyticsLevel] = [.none, .basic, .detailed, .verbose]

  private static func isStricter<Word: Equatable>(_ theirs: Word, than ours: Word, in known: [Word]) -> Bool {
    guard let place = known.firstIndex(of: theirs) else { return false }
    return place < known.firstIndex(of: ours) ?? 1
  }
}
