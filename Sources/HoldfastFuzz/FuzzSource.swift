import Foundation

/// What one case imports.
struct FuzzSource: Sendable {
  /// For one case in three another source, which is imported first.
  var earlier: [UInt8]?
  var bytes: [UInt8]
  /// How many records there are of some kinds, counted by anybody but the importer. Nil where nobody else can.
  var counts: [String: Int]?
}

extension FuzzSource {
  /// A JSON document that was made and then spoilt.
  ///
  /// - Parameters:
  ///   - keys: what members are renamed to.
  ///   - counts: of the records in a document, by Foundation's decoder.
  static func document(
    _ random: inout SeededRandom, keys: [String], made make: (inout SeededRandom) -> Node, counts: (Any) -> [String: Int]?
  ) -> FuzzSource {
    var node = make(&random)
    let mark: [UInt8] = random.chance(1, of: 20) ? [0xEF, 0xBB, 0xBF] : []
    let earlier = random.chance(1, of: 3) ? node.bytes : nil
    var mutation = Mutation(random)
    mutation.values(of: &node, keys: keys)
    var bytes = mark + node.bytes
    mutation.bytes(&bytes)
    random = mutation.random
    let root = mutation.isCountable ? try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) : nil
    return FuzzSource(earlier: earlier, bytes: bytes, counts: root.flatMap(counts))
  }

  /// A database that was made and then spoilt.
  ///
  /// - Parameters:
  ///   - kinds: of what is counted, by the names of their tables in lower case.
  ///   - bookkeeping: tables that are not counted.
  static func database(
    _ random: inout SeededRandom, kinds: [String: String], bookkeeping: Set<String>, made make: (inout SeededRandom) -> [Sheet]
  ) throws -> FuzzSource {
    var sheets = make(&random)
    let pageSize = random.pick([512, 1024, 4096], otherwise: 4096)
    let earlier = random.chance(1, of: 3) ? try Sheet.database(sheets, pageSize: pageSize) : nil
    var mutation = Mutation(random)
    mutation.cells(of: &sheets)
    var bytes = try Sheet.database(sheets, pageSize: pageSize)
    mutation.pages(&bytes)
    random = mutation.random
    var counts: [String: Int] = [:]
    for sheet in sheets where !bookkeeping.contains(sheet.name.lowercased()) {
      counts[kinds[sheet.name.lowercased()] ?? sheet.name, default: 0] += sheet.rows.count
    }
    return FuzzSource(earlier: earlier, bytes: bytes, counts: mutation.isCountable ? counts : nil)
  }
}
