/// Whether the SQLite contestants run the same queries, as SQLite sees them.
enum Plans {
  struct Comparison {
    var contestant: String
    var queries: Int
    /// Names of queries whose plan is not the first contestant's.
    var different: [String]
  }

  static func compare(_ dataSets: DataSets) throws -> [Comparison] {
    let folder = try dataSets.copy(.small, file: DataSet.databaseName)
    let explainer = try CStore(path: folder + "/" + DataSet.databaseName, durability: .fast)
    defer { explainer.close() }
    var first: [String: [String]] = [:]
    var comparisons: [Comparison] = []
    // The encrypted one's queries are the product's, and this file is open.
    for type in roster where !type.rewritesWholeFile && !(type is HoldfastEncryptedContestant.Type) {
      let contestant = try type.init(folder: folder, durability: .fast)
      let plans = try contestant.queries().mapValues { try explainer.rows("EXPLAIN QUERY PLAN " + $0) }
      try contestant.close()
      if first.isEmpty { first = plans }
      let different = plans.filter { $0.value != first[$0.key] }.map { "\($0.key): \($0.value.joined(separator: "; "))" }
      comparisons.append(Comparison(contestant: type.name, queries: plans.count, different: different.sorted()))
    }
    return comparisons
  }
}
