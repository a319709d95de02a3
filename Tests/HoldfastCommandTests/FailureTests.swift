import Foundation
import Holdfast
import Testing

@testable import HoldfastCommand

@Suite("Errors on the command line")
struct FailureTests {
  @Test("the advice is the command of the first recovery option that has one, or else the suggestion")
  func advice() {
    let snapshot = StoreError.RecoveryOption.restoreSnapshot(id: "20261121T090512Z-1")
    let rewind = StoreError.RecoveryOption.rewind(newest: Date(timeIntervalSince1970: 0))
    func advice(_ options: [StoreError.RecoveryOption]) -> String? {
      Failure(StoreError(.damaged, "it is damaged", suggestion: "Look.", recoveryOptions: options)) { _ in nil }.suggestion
    }
    #expect(advice([rewind, snapshot]) == "holdfast rewind STORE --to now")
    #expect(advice([snapshot, rewind]) == "holdfast restore STORE --snapshot 20261121T090512Z-1")
    #expect(advice([.openReadOnly, snapshot]) == "holdfast restore STORE --snapshot 20261121T090512Z-1")
    #expect(advice([.openReadOnly]) == "Look.")
  }
}
