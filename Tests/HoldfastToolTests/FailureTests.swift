import Foundation
import Holdfast
import Testing

@testable import HoldfastTool

@Suite("Errors on the command line")
struct FailureTests {
  @Test("the advice is the command of the first recovery option that has one, or else the suggestion")
  func advice() {
    let snapshot = StoreError.RecoveryOption.restoreSnapshot(id: "20261121T090512Z-1")
    let rewind = StoreError.RecoveryOption.rewind(newest: Date(timeIntervalSince1970: 0))
    func advice(_ options: [StoreError.RecoveryOption]) -> String? {
      Failure(StoreError(.damaged, "it is damaged", suggestion: "Look.", recoveryOptions: options)) { _ in nil }.suggestion
    }
    #expect(advice([.heal, rewind]) == "holdfast heal STORE")
    #expect(advice([rewind, snapshot]) == "holdfast rewind STORE --to now")
    #expect(advice([snapshot, rewind]) == "holdfast restore STORE --snapshot 20261121T090512Z-1")
    #expect(advice([.openReadOnly, snapshot]) == "holdfast restore STORE --snapshot 20261121T090512Z-1")
    #expect(advice([.openReadOnly]) == "Look.")
  }

  @Test(
    "a path in a suggested command is one word of a shell, whatever is in it",
    arguments: [
      ("a-b/三体.sqlite", "a-b/三体.sqlite"), ("Anna's books", #"'Anna'\''s books'"#), (#"a\b"#, #"'a\b'"#),
      ("a\nb's \\ c", #"$'a\nb\'s \\ c'"#), ("tab\tend", #"$'tab\x09end'"#), ("a\u{202E}b", #"$'a\xe2\x80\xaeb'"#),
    ])
  func shellWords(text: String, word: String) throws {
    #expect(text.shellWord == word)
    #expect(DisplayText.printable(word) == word)
    let bench = try Workbench()
    #expect(try bench.shell("printf %s \(word)").output == text)
  }
}
