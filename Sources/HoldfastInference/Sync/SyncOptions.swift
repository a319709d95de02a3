public import Foundation
public import Holdfast

/// What a `DataSyncService` sends, in the order in which it does.
public enum SyncedKind: String, Sendable, Hashable, CaseIterable {
  /// Events.
  case telemetry
  /// Configurations, each in a request of its own, without the key of the API.
  case configuration
  /// The registry of models, without the paths of their files.
  case models
  /// Sessions, then their generations, without what was asked and answered.
  case history
  /// What a person has chosen.
  case preferences
}

/// How a `DataSyncService` works where the configuration does not say.
public struct SyncOptions: Sendable {
  /// What the server knows this device as.
  public var deviceID: String
  /// What the server knows this run of the app as.
  public var sessionID: String
  /// What is sent. Default: everything that the person's consent lets go. A kind that the server has no path for ends each attempt with
  /// an error, and is best left out.
  public var kinds: Set<SyncedKind>
  /// Where the configuration is pulled from; nil pulls none. Default `/v1/configuration`.
  public var configurationPath: String?
  /// Where the catalogue of models is pulled from, in pages; nil pulls none. Default `/v1/models`, to which `?page=1&pageSize=100` is
  /// added.
  public var catalogPath: String?
  /// Rows to a request, from 1 to `DataSyncService.greatestBatch` whatever is said; nil is the configuration's `analytics.batchSize`, 100
  /// without one.
  public var batchSize: Int?
  /// Between two attempts, from 0.1 to a day whatever is said, and 300 for what is no number and for infinity; nil is the configuration's
  /// `analytics.submissionIntervalSeconds`, at least 1, and 300 without one.
  public var intervalSeconds: Double?
  /// So many events that wait are sent at once, without pulling; 1 and less: every event. Nil is a batch.
  public var threshold: Int?
  /// Until the second attempt after a failure; each further failure doubles it. 0 and less: at once, which for a service that was started
  /// is after a tenth of a second. Default 5, also for what is no number.
  public var firstPauseSeconds: Double
  /// The longest pause that this device makes by itself; a server may ask for a longer one. 0 and less: none. Default an
  /// hour, also for what is no number.
  public var longestPauseSeconds: Double
  /// What a pause is multiplied by, so that devices do not come back all at once; default a random number from 0.5 to 1. Less
  /// than 0 is 0, and what is no number, and infinity, is 1.
  public var jitter: @Sendable () -> Double

  /// The defaults for a device.
  public init(deviceID: String, sessionID: String = NewID.v7().uuidString.lowercased()) {
    self.deviceID = deviceID
    self.sessionID = sessionID
    kinds = Set(SyncedKind.allCases)
    configurationPath = "/v1/configuration"
    catalogPath = "/v1/models"
    firstPauseSeconds = 5
    longestPauseSeconds = 3_600
    jitter = { Double.random(in: 0.5...1) }
  }
}

extension SyncOptions {
  /// Between two attempts, where the configuration says this.
  func intervalSeconds(of analytics: InferenceConfiguration.Analytics?) -> Double {
    let seconds = intervalSeconds ?? analytics.map { max(1, $0.submissionIntervalSeconds) } ?? 300
    return seconds.isFinite ? min(max(seconds, 0.1), DataSyncService.greatestPauseSeconds) : 300
  }

  /// After so many failures in a row, from 1, without jitter.
  func pauseSeconds(afterFailures failures: Int) -> Double {
    let first = firstPauseSeconds.isNaN ? 5 : max(0, firstPauseSeconds)
    let longest = longestPauseSeconds.isNaN ? 3_600 : max(0, longestPauseSeconds)
    return min(longest, first * pow(2, Double(min(failures, 30) - 1)))
  }
}

/// What one attempt did.
public struct SyncReport: Sendable, Hashable {
  /// Rows that the server took, by table.
  public var acknowledged: [String: Int] = [:]
  /// Rows that it refused; they are tried again, and set aside after `DataSyncService.mostTries`.
  public var refused: [String: Int] = [:]
  /// Rows that the server had something new for, by table.
  public var pulled: [String: Int] = [:]
}
