import Foundation

/// How long the tests run that start whole programs or many tasks.
package enum ProofRun {
  /// True in `make proof`. Otherwise these tests are as short as is useful.
  package static let isLong = ProcessInfo.processInfo.environment["HOLDFAST_PROOF"] == "long"
}
