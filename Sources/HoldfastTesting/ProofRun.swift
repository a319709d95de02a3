import Foundation

/// Which form tests have that run whole programs or many tasks.
package enum ProofRun {
  /// As `make proof` wants it; otherwise as short as is of use.
  package static let isLong = ProcessInfo.processInfo.environment["HOLDFAST_PROOF"] == "long"
}
