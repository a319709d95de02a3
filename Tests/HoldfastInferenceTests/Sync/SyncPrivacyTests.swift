import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastInference

/// Each value that this device may have × each that a server may say, with the cloud open or not, and with each consent.
@Suite("Which of a server's values may take the place of ours") struct SyncPrivacyTests {
  typealias Change = @Sendable (inout InferenceConfiguration) -> Void

  /// What of this device lets in a value that is not stricter.
  enum Opener: Sendable { case nothing, cloud, consent, everything }

  struct Rule: Sendable, CustomTestStringConvertible {
    let field: String
    let opener: Opener
    /// Whether a value that stands before ours comes in by itself.
    let isOrdered: Bool
    /// Whether the last value is a word that nobody knows.
    let hasUnknown: Bool
    let values: [Change]

    var testDescription: String { field }

    /// - Parameter values: the strictest first, where they are ordered.
    init<Value: Sendable>(
      _ field: String, _ path: any WritableKeyPath<InferenceConfiguration, Value> & Sendable, _ values: [Value], isOrdered: Bool = true,
      hasUnknown: Bool = false, opener: Opener
    ) {
      self.hasUnknown = hasUnknown
      self.field = field
      self.opener = opener
      self.isOrdered = isOrdered
      self.values = values.map { value -> Change in { $0[keyPath: path] = value } }
    }

    /// In the place of a word that nobody knows only the strictest comes.
    func isStricter(_ other: Int, than mine: Int) -> Bool { hasUnknown && mine == values.count - 1 ? other == 0 : other < mine }

    func isOpen(_ situation: Situation) -> Bool {
      switch opener {
      case .nothing: false
      case .cloud: situation.isCloudEnabled
      case .consent: situation.consent == .granted
      case .everything: true
      }
    }
  }

  /// What this device allows; the server says the opposite of itself, and is not the one that is asked.
  struct Situation: Sendable {
    let isCloudEnabled: Bool
    let consent: TelemetryConsent

    var ours: InferenceConfiguration { configuration(isCloudEnabled, consent) }
    var theirs: InferenceConfiguration { configuration(!isCloudEnabled, consent == .granted ? .denied : .granted) }

    private func configuration(_ isCloudEnabled: Bool, _ consent: TelemetryConsent) -> InferenceConfiguration {
      InferenceConfiguration(
        routing: Routing(isCloudEnabled: isCloudEnabled), analytics: .init(telemetryConsent: consent), createdAt: Sample.date)
    }
  }

  static let situations: [Situation] = [TelemetryConsent.denied, .limited, .granted].flatMap { consent in
    [Situation(isCloudEnabled: false, consent: consent), Situation(isCloudEnabled: true, consent: consent)]
  }

  /// A word that nobody knows stands last.
  static let rules: [Rule] = [
    Rule(
      "analytics.telemetryConsent", \.analytics.telemetryConsent,
      [TelemetryConsent.denied, .limited, .granted, TelemetryConsent(rawValue: "of tomorrow")], isOrdered: false, opener: .nothing),
    Rule("analytics.includeDeviceInfo", \.analytics.includesDeviceInfo, [false, true], opener: .nothing),
    Rule("analytics.includeModelInfo", \.analytics.includesModelInfo, [false, true], opener: .nothing),
    Rule("analytics.enabled", \.analytics.isEnabled, [false, true], opener: .consent),
    Rule("analytics.liveMetricsEnabled", \.analytics.areLiveMetricsEnabled, [false, true], opener: .consent),
    Rule(
      "analytics.level", \.analytics.level,
      [AnalyticsLevel.none, .basic, .detailed, .verbose, AnalyticsLevel(rawValue: "of tomorrow")], hasUnknown: true, opener: .consent),
    Rule("routing.cloudEnabled", \.routing.isCloudEnabled, [false, true], opener: .nothing),
    Rule("routing.privacyMode", \.routing.privacyMode, [PrivacyMode.strict, .standard, .custom], hasUnknown: true, opener: .nothing),
    Rule(
      "routing.privacyMode", \.routing.privacyMode, [PrivacyMode.strict, .standard, PrivacyMode(rawValue: "of tomorrow")], hasUnknown: true,
      opener: .nothing),
    Rule(
      "routing.policy", \.routing.policy, [RoutingPolicy.deviceOnly, .preferDevice, .automatic, .preferCloud, .custom], hasUnknown: true,
      opener: .cloud),
    Rule(
      "routing.policy", \.routing.policy,
      [RoutingPolicy.deviceOnly, .preferDevice, .automatic, .preferCloud, RoutingPolicy(rawValue: "of tomorrow")], hasUnknown: true,
      opener: .cloud),
    Rule("routing.customRules", \.routing.customRules, [Data([1]), Data([2])], isOrdered: false, opener: .cloud),
    Rule("routing.maxLatencyThreshold", \.routing.maxLatencyThreshold, [0.25, 0.5], isOrdered: false, opener: .cloud),
    Rule("routing.minConfidenceScore", \.routing.minConfidenceScore, [0.25, 0.5], isOrdered: false, opener: .cloud),
    Rule("generation.defaults.maxTokens", \.generation.maxTokens, [1, 2], isOrdered: false, opener: .everything),
  ]

  @Test("what is stricter comes, what is looser only where this device allows it, and consent never", arguments: rules)
  func comes(rule: Rule) async throws {
    let world = try World.inMemory()
    for situation in Self.situations { try await check(rule, in: situation, world) }
  }

  private func check(_ rule: Rule, in situation: Situation, _ world: World) async throws {
    let field = try #require(ConfigurationFields.nested.fields.first { $0.name == rule.field })
    for (mine, makeOurs) in rule.values.enumerated() {
      for (other, makeTheirs) in rule.values.enumerated() where mine != other {
        var (ours, theirs) = (situation.ours, situation.theirs)
        makeOurs(&ours)
        makeTheirs(&theirs)
        let isTaken = rule.isOpen(situation) || rule.isOrdered && rule.isStricter(other, than: mine)
        var expected = ours
        if isTaken { makeTheirs(&expected) }
        let values = [ours, theirs].map { field.value(of: $0).canonicalText() }
        let picture = "cloud \(situation.isCloudEnabled), \(situation.consent.rawValue): ours \(values[0]), theirs \(values[1])"
        try await world.inference.save(ours)
        let pulled = ConfigurationFields.nested.said(theirs, only: [rule.field])
        #expect(try await world.store.write { try SyncMerge.take(pulled, in: $0) } == isTaken, "\(picture)")
        #expect(try await world.inference.configuration() == expected, "\(picture)")
      }
    }
  }

  @Test("of two words that nobody knows neither is stricter", arguments: [false, true])
  func unknownWords(isCustomOurs: Bool) async throws {
    let world = try World.inMemory()
    let words = isCustomOurs ? ["custom", "of tomorrow"] : ["of tomorrow", "custom"]
    func configuration(_ word: String) -> InferenceConfiguration {
      InferenceConfiguration(
        routing: Routing(policy: RoutingPolicy(rawValue: word), privacyMode: PrivacyMode(rawValue: word)),
        analytics: .init(level: AnalyticsLevel(rawValue: word)), createdAt: Sample.date)
    }
    try await world.inference.save(configuration(words[0]))
    let pulled = ConfigurationFields.nested.said(configuration(words[1]))
    _ = try await world.store.write { try SyncMerge.take(pulled, in: $0) }
    #expect(try await world.inference.configuration() == configuration(words[0]))
  }

  @Test("every field of the routing and the analytics has its rule here, but for how many events go at once, and when")
  func complete() {
    let names = ConfigurationFields.nested.fields.map(\.name).filter { $0.hasPrefix("routing.") || $0.hasPrefix("analytics.") }
    #expect(Set(names).subtracting(Self.rules.map(\.field)) == ["analytics.batchSize", "analytics.submissionInterval"])
  }
}
