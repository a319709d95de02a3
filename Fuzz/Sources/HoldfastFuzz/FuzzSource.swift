import Foundation

/// The source that one case imports.
struct FuzzSource: Sendable {
  /// A source that the case imports first; nil in two of three cases.
  var earlier: [UInt8]?
  var bytes: [UInt8]
  /// The log beside a damaged store.
  var log: [UInt8]?
  /// The number of records by kind, counted without the importer. Nil where only the importer can count them.
  var counts: [String: Int]?
}

extension FuzzSource {
  /// Makes a valid JSON document, and then damages it.
  ///
  /// - Parameters:
  ///   - keys: the new names for members that are renamed.
  ///   - counts: counts the records in a document that Foundation has decoded.
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

  /// Makes a valid database, and then damages it.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of records, by the names of their tables in lower case.
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
