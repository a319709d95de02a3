public import Foundation
public import Holdfast
import HoldfastHTTP

/// The kinds of data that a `DataSyncService` sends, in the order of sending.
public enum SyncedKind: String, Sendable, Hashable, CaseIterable {
  /// Events.
  case telemetry
  /// Configurations, each in its own request, without the API's key.
  case configuration
  /// The registry of models, without the paths of their files.
  case models
  /// Sessions, then their generations, without requests and answers.
  case history
  /// Preferences.
  case preferences
}

/// Options of a `DataSyncService` beside the configuration.
public struct SyncOptions: Sendable {
  /// The name by which the server knows this device.
  public var deviceID: String
  /// The name by which the server knows this run of the app.
  public var sessionID: String
  /// The kinds to send. Default: everything that the consent allows. A kind without a path on the server makes each attempt end
  /// with an error, so leave it out.
  public var kinds = Set(SyncedKind.allCases)
  /// The path of the configuration; nil pulls none. Default `/v1/configuration`.
  public var configurationPath: String? = "/v1/configuration"
  /// The path of the catalogue of models, which is pulled in pages; nil pulls none. Default `/v1/models`;
  /// `?page=1&pageSize=100` is added.
  public var catalogPath: String? = "/v1/models"
  /// Rows in a request, limited to 1 to `DataSyncService.greatestBatch`. Nil takes the configuration's `analytics.batchSize`,
  /// 100 without a configuration.
  public var batchSize: Int?
  /// Seconds between two attempts, limited to 0.1 to one day; 300 for NaN and infinity. Nil takes the configuration's
  /// `analytics.submissionIntervalSeconds`, at least 1, or 300 without a configuration.
  public var intervalSeconds: Double?
  /// When this many events wait, they are sent at once, without pulling; 1 and less: every event. Nil takes the batch size.
  public var threshold: Int?
  /// Seconds until the second attempt after a failure; each further failure doubles them. 0 and less: at once, which is after
  /// 0.1 seconds for a started service. Default 5, also for NaN.
  public var firstPauseSeconds = 5.0
  /// The longest pause that this device chooses, in seconds; a server may ask for a longer one. 0 and less: no pause. Default
  /// one hour, also for NaN.
  public var longestPauseSeconds = 3_600.0
  /// A factor for each pause, so that devices do not return at the same time; default a random number from 0.5 to 1. Less than
  /// 0 counts as 0; NaN and infinity count as 1.
  public var jitter: @Sendable () -> Double = { Double.random(in: 0.5...1) }

  /// The default options for a device.
  public init(deviceID: String, sessionID: String = NewID.v7().uuidString.lowercased()) {
    self.deviceID = deviceID
    self.sessionID = sessionID
  }
}

extension SyncOptions {
  /// Seconds between two attempts, with this configuration.
  func intervalSeconds(of analytics: InferenceConfiguration.Analytics?) -> Double {
    let seconds = intervalSeconds ?? analytics.map { max(1, $0.submissionIntervalSeconds) } ?? 300
    return seconds.isFinite ? min(max(seconds, 0.1), HTTPPauses.greatestSeconds) : 300
  }

  var pauses: HTTPPauses { HTTPPauses(firstSeconds: firstPauseSeconds, longestSeconds: longestPauseSeconds, jitter: jitter) }
}

/// The result of one attempt.
public struct SyncReport: Sendable, Hashable {
  /// Rows that the server accepted, by table.
  public var acknowledged: [String: Int] = [:]
  /// Rows that the server refused, by table; they are tried again, and set aside after `DataSyncService.mostTries` refusals.
  public var refused: [String: Int] = [:]
  /// Rows that the pull changed or added, by table.
  public var pulled: [String: Int] = [:]
}
