/// Who takes part, the 1.0 of every ratio first.
var roster: [any Contestant.Type] { [CContestant.self, GRDBContestant.self, JSONContestant.self] }

/// Makes the empty database that every SQLite contestant fills. Where a contestant keeps tables of its own beside the
/// shared ones, it makes the file, and the others work on the same one.
func makeEmptyDatabase(_ path: String) throws { try Schema.makeEmptyDatabase(at: path) }
