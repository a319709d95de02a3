public import Foundation
public import Holdfast

/// A rule for where requests go: the one in force, or a further one.
public struct Routing: Sendable, Hashable, Codable {
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

/// A row of `routing_policies`; the one at position 0 is in force. Its columns are its own and those of the rule.
struct RoutingRow: StoredRecord, Codable, Hashable {
  static let table = "routing_policies"
  static let key = ["configuration_id", "position"]

  var configurationID: String
  var position: Int64
  var routing: Routing

  private enum CodingKeys: CodingKey {
    case configurationID, position
  }

  init(_ routing: Routing, of configurationID: String, at position: Int64) {
    self.configurationID = configurationID
    self.position = position
    self.routing = routing
  }

  init(from decoder: any Decoder) throws {
    let own = try decoder.container(keyedBy: CodingKeys.self)
    configurationID = try own.decode(String.self, forKey: .configurationID)
    position = try own.decode(Int64.self, forKey: .position)
    routing = try Routing(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var own = encoder.container(keyedBy: CodingKeys.self)
    try own.encode(configurationID, forKey: .configurationID)
    try own.encode(position, forKey: .position)
    try routing.encode(to: encoder)
  }
}
