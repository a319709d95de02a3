public import Foundation
public import Holdfast

/// A rule for where requests go: the one in force, or a further one.
public struct Routing: Sendable, Hashable {
  /// Where requests go. Default: they stay on the device.
  public var policy: RoutingPolicy
  /// Whether a request may leave the device at all. Default false.
  public var isCloudEnabled: Bool
  /// How prompts are protected. Default: strictly.
  public var privacyMode: PrivacyMode
  /// The rules of a custom policy, in the app's own bytes; nil when there are none.
  public var customRules: Data?
  /// In the SDK's own unit; nil for no limit.
  public var maxLatencyThreshold: Double?
  /// From 0 to 1; nil for no limit.
  public var minConfidenceScore: Double?
  /// The least confidence with which the device answers itself, from 0 to 1; nil when not given.
  public var onDeviceThreshold: Double?
  /// The greatest cost of one request in the cloud, in the currency of the bill; nil for no limit.
  public var maxCloudCostPerRequest: Double?
  /// Whether the device is preferred when both can answer; nil when not given.
  public var prefersOnDevice: Bool?

  /// The private defaults, or the given values.
  public init(
    policy: RoutingPolicy = .deviceOnly, isCloudEnabled: Bool = false, privacyMode: PrivacyMode = .strict, customRules: Data? = nil,
    maxLatencyThreshold: Double? = nil, minConfidenceScore: Double? = nil, onDeviceThreshold: Double? = nil,
    maxCloudCostPerRequest: Double? = nil, prefersOnDevice: Bool? = nil
  ) {
    self.policy = policy
    self.isCloudEnabled = isCloudEnabled
    self.privacyMode = privacyMode
    self.customRules = customRules
    self.maxLatencyThreshold = maxLatencyThreshold
    self.minConfidenceScore = minConfidenceScore
    self.onDeviceThreshold = onDeviceThreshold
    self.maxCloudCostPerRequest = maxCloudCostPerRequest
    self.prefersOnDevice = prefersOnDevice
  }
}

/// A row of `routing_policies`; the one at position 0 is in force.
struct RoutingRow: StoredRecord, Hashable {
  static let table = "routing_policies"
  static let columns = [
    "configuration_id", "position", "policy", "is_cloud_enabled", "privacy_mode", "custom_rules", "max_latency_threshold",
    "min_confidence_score", "on_device_threshold", "max_cloud_cost_per_request", "prefers_on_device",
  ]
  static let key = ["configuration_id", "position"]

  var configurationID: String
  var position: Int64
  var routing: Routing

  init(_ routing: Routing, of configurationID: String, at position: Int64) {
    self.configurationID = configurationID
    self.position = position
    self.routing = routing
  }

  init(row: inout StoredRow) throws {
    configurationID = try row.text()
    position = try row.int64()
    routing = Routing(
      policy: RoutingPolicy(rawValue: try row.text()), isCloudEnabled: try row.bool(), privacyMode: PrivacyMode(rawValue: try row.text()),
      customRules: try row.dataOrNil(), maxLatencyThreshold: try row.doubleOrNil(), minConfidenceScore: try row.doubleOrNil(),
      onDeviceThreshold: try row.doubleOrNil(), maxCloudCostPerRequest: try row.doubleOrNil(),
      prefersOnDevice: try row.boolOrNil())
  }

  func encode(into values: inout Values) throws {
    try values.text(configurationID)
    try values.int64(position)
    try values.text(routing.policy.rawValue)
    try values.bool(routing.isCloudEnabled)
    try values.text(routing.privacyMode.rawValue)
    try values.data(routing.customRules)
    try values.finite(routing.maxLatencyThreshold)
    try values.finite(routing.minConfidenceScore)
    try values.finite(routing.onDeviceThreshold)
    try values.finite(routing.maxCloudCostPerRequest)
    try values.bool(routing.prefersOnDevice)
  }
}
