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
    case "analytics.level": return hasConsent || reach(of: theirs.analytics.level) < reach(of: ours.analytics.level)
    case "routing.cloudEnabled": return !theirs.routing.isCloudEnabled
    case "routing.privacyMode": return reach(of: theirs.routing.privacyMode) < reach(of: ours.routing.privacyMode)
    case "routing.policy": return ours.routing.isCloudEnabled || reach(of: theirs.routing.policy) < reach(of: ours.routing.policy)
    // What decides when a request goes to the cloud.
    case "routing.customRules", "routing.maxLatencyThreshold", "routing.minConfidenceScore": return ours.routing.isCloudEnabled
    default: return true
    }
  }

  // How far things get out. A word that nobody knows may mean anything, and is no stricter than another.

  private static func reach(of policy: RoutingPolicy) -> Int {
    let known: [RoutingPolicy] = [.deviceOnly, .preferDevice, .automatic, .preferCloud]
    return known.firstIndex(of: policy) ?? known.count
  }

  private static func reach(of mode: PrivacyMode) -> Int {
    let known: [PrivacyMode] = [.strict, .standard]
    return known.firstIndex(of: mode) ?? known.count
  }

  private static func reach(of level: AnalyticsLevel) -> Int {
    let known: [AnalyticsLevel] = [.none, .basic, .detailed, .verbose]
    return known.firstIndex(of: level) ?? known.count
  }
}
