import Foundation
import Testing

@testable import Holdfast

@Suite("The seal of an archive's records")
struct RecordSealTests {
  private static let canSeal = (try? RecordSeal(StoreKey(Data(repeating: 1, count: 32))).seal(Data(), commit: 0)) != nil

  @Test(
    "a record opens with its own key only, and under the number of the commit with which it was sealed",
    .enabled(if: canSeal, "where the mutants run there is no cipher"))
  func bound() throws {
    let (seal, other) = (RecordSeal(try StoreKey(Data(repeating: 1, count: 32))), RecordSeal(try StoreKey(Data(repeating: 2, count: 32))))
    let body = Data("what a commit changed".utf8)
    let sealed = try seal.seal(body, commit: 7)
    #expect(seal.open(sealed) == body && other.open(sealed) == nil)
    // Where a record stands in a segment tells nothing: its number, in the clear, does.
    for place in 4..<12 {
      var moved = sealed
      moved[place] ^= 1
      #expect(seal.open(moved) == nil, "\(place)")
    }
  }
}
