import Foundation
import Holdfast
import HoldfastAudiobooks

/// Who takes part, the 1.0 of every ratio first.
var roster: [any Contestant.Type] {
  [
    CContestant.self, CRowContestant.self, HoldfastContestant.self, HoldfastAsyncContestant.self, HoldfastUncountedContestant.self,
    HoldfastAuditedContestant.self, HoldfastEncryptedContestant.self, HoldfastDerivedContestant.self, HoldfastByHandContestant.self,
    GRDBContestant.self, JSONContestant.self,
  ]
}

/// Makes the empty database that every SQLite contestant fills: by the product, which has tables of its own beside the shared ones.
func makeEmptyDatabase(_ path: String) throws {
  try AudiobookLibrary.open(at: URL(fileURLWithPath: path)).store.close()
}
