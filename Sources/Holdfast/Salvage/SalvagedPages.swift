/// The pages of a damaged file by the table that they belong to.
///
/// A tree that a readable root leads to belongs to the root's table, except pages whose rows do not fit it. Other pages form trees of their own,
/// or stand alone because the page above them is gone: such a tree belongs to the table that its rows fit best. Where two tables fit alike,
/// nobody can tell.
struct SalvagedPages {
  /// By table: the pages of its own tree, then those that were found by their rows.
  private(set) var pages: [String: (owned: [Int], found: [Int])] = [:]
  /// The pages with rows that fit several tables alike.
  private(set) var unclear: [(page: Int, tables: [String])] = []
  /// How many pages of trees belong to nothing that is known.
  private(set) var unknown = 0
  /// Lone pages of trees without rowids, with the tables that they fit: an index looks like a table.
  private(set) var doubtful: [(pages: [Int], table: String, indexes: [String])] = []

  private let file: DamagedFile
  private let tables: [SalvageTable]
  private let indexes: [SalvageTable]
  private var taken: Set<Int>

  /// - Parameters:
  ///   - roots: the first pages of tables and indexes by name, as the file itself tells them.
  ///   - hints: the same of a sound file with the same schema: true for this one only where the rows fit.
  init(_ file: DamagedFile, tables: [SalvageTable], indexes: [SalvageTable], roots: [String: Int], hints: [String: Int]) {
    (self.file, self.tables, self.indexes) = (file, tables, indexes)
    taken = file.free.union([1])
    var misplaced: [Int] = []
    for table in tables {
      guard let root = roots[table.name] else { continue }
      for page in tree(root) {
        if fit(page, table) ?? 1 >= 0.5 { pages[table.name, default: ([], [])].owned.append(page) } else { misplaced.append(page) }
      }
    }
    // An index says nothing that its table does not say, except where a page of it holds a table's rows.
    let names = Set(tables.map(\.name))
    for (name, root) in roots where !names.contains(name) { _ = tree(root) }
    // The schema's own tree.
    taken.formUnion(walk(1))
    taken.subtract(misplaced)
    assign(hints)
  }

  private mutating func tree(_ root: Int) -> [Int] {
    let found = walk(root).filter { !taken.contains($0) }
    taken.formUnion(found)
    return found
  }

  /// The pages below `root`, itself among them, that look like pages of a tree.
  private func walk(_ root: Int) -> [Int] {
    var (found, waiting, seen): ([Int], [Int], Set<Int>) = ([], [root], [])
    while let number = waiting.popLast() {
      guard seen.insert(number).inserted, let page = RawPage(number, of: file) else { continue }
      found.append(number)
      waiting += page.children.reversed()
    }
    return found
  }

  /// The part of a page's readable rows that fit the table; nil without rows.
  private func fit(_ number: Int, _ table: SalvageTable) -> Double? {
    guard let rows = RawPage(number, of: file)?.rows(of: file).rows, !rows.isEmpty else { return nil }
    return Double(rows.count { table.fit($0) != nil }) / Double(rows.count)
  }

  private mutating func assign(_ hints: [String: Int]) {
    let rest = (1...max(1, file.pageCount)).filter { !taken.contains($0) && RawPage($0, of: file) != nil }
    let below = Set(rest.flatMap { RawPage($0, of: file)?.children ?? [] })
    // Trees first, then what nothing leads to any more, even in a circle.
    for root in rest.filter({ !below.contains($0) }) + rest where !taken.contains(root) { assign(tree(root), root, hints) }
  }

  private mutating func assign(_ tree: [Int], _ root: Int, _ hints: [String: Int]) {
    var scores: [(table: SalvageTable, score: Double, isIndex: Bool)] = []
    var rows = 0
    var sums: [(rows: Int, score: Double)] = Array(repeating: (0, 0), count: tables.count + indexes.count)
    let shapes = tables + indexes
    for number in tree {
      for row in RawPage(number, of: file)?.rows(of: file).rows.prefix(64) ?? [] {
        rows += 1
        for place in shapes.indices {
          guard let score = shapes[place].fit(row) else { continue }
          sums[place].rows += 1
          sums[place].score += score
        }
      }
    }
    guard rows > 0 else { return }
    for (place, sum) in sums.enumerated() where sum.rows * 10 >= rows * 9 {
      // A table that was here when the file was sound is likely to be here still.
      let hint = hints[shapes[place].name] == root ? 1.0 : 0
      scores.append((shapes[place], sum.score / Double(rows) + hint, place >= tables.count))
    }
    let best = scores.map(\.score).max() ?? 0
    let fitting = scores.filter { $0.score > best - 0.02 }
    let (fittingTables, fittingIndexes) = (fitting.filter { !$0.isIndex }, fitting.filter(\.isIndex))
    guard let first = fittingTables.first else {
      if fittingIndexes.isEmpty { unknown += tree.count }
      return
    }
    if fittingTables.count > 1 {
      unclear += tree.map { ($0, fittingTables.map(\.table.name)) }
    } else if fittingIndexes.isEmpty {
      pages[first.table.name, default: ([], [])].found += tree
    } else {
      doubtful.append((tree, first.table.name, fittingIndexes.map(\.table.name)))
    }
  }
}
