/// The pages of a damaged file by the table that they belong to.
///
/// A tree that a readable root leads to belongs to the root's table, except pages whose rows do not fit it. Other pages form trees of their
/// own, or stand alone because the page above them is gone. They belong to the table that the rows fit best, unless two fit alike.
struct SalvagedPages {
  /// By table: the pages of its own tree, then those that were found by their rows.
  private(set) var pages: [String: (owned: [Int], found: [Int])] = [:]
  /// The pages with rows that fit several tables alike.
  private(set) var unclear: [(page: Int, tables: [String])] = []
  /// How many pages of trees belong to nothing that is known.
  private(set) var unknown = 0
  /// Lone pages of trees without rowids, with the tables that they fit: an index looks like a table.
  private(set) var doubtful: [(pages: [Int], table: String, indexes: [String])] = []

  /// By table: the rowids whose rows may have stood on lost pages. All, where the table has no rowids, or more or less than one tree.
  private(set) var lost: [String: [ClosedRange<Int64>]] = [:]
  /// By table that has lost pages: the entries of an index that has lost none, and the rowids in them, where the table has rowids.
  private(set) var counted: [String: (entries: Int, rowids: Set<Int64>?)] = [:]
  /// By table: the first pages of its trees.
  private var trees: [String: [Int]] = [:]

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
      trees[table.name, default: []].append(root)
      for page in tree(root, hasRowids: table.hasRowid) {
        if belongs(page, to: table) { pages[table.name, default: ([], [])].owned.append(page) } else { misplaced.append(page) }
      }
    }
    // An index says nothing that its table does not say.
    let names = Set(tables.map(\.name))
    for (name, root) in roots where !names.contains(name) { _ = tree(root, hasRowids: false) }
    // The schema's own tree.
    taken.formUnion(walk(1, hasRowids: true))
    taken.subtract(misplaced)
    for table in tables { lost[table.name] = lostRows(of: table) }
    let known = trees
    assign(hints)
    for table in tables where trees[table.name] != known[table.name] { lost[table.name] = lostRows(of: table) }
    for index in indexes {
      guard let name = index.indexed, lost[name]?.isEmpty == false, counted[name] == nil, let root = roots[index.name],
        let table = tables.first(where: { $0.name == name })
      else { continue }
      counted[name] = entries(of: index, of: table, root)
    }
  }

  /// Whether it is known where a table stands, or stood.
  func hasPlace(_ table: String) -> Bool { trees[table]?.isEmpty == false }

  /// Nil where a page of the index is lost.
  private func entries(of index: SalvageTable, of table: SalvageTable, _ root: Int) -> (entries: Int, rowids: Set<Int64>?)? {
    var (count, rowids, seen, waiting): (Int, Set<Int64>, Set<Int>, [Int]) = (0, [], [], [root])
    while let number = waiting.popLast() {
      guard seen.insert(number).inserted, let page = RawPage(number, of: file), page.isWhole, holds(page, index, .min ... .max) else {
        return nil
      }
      for row in page.rows(of: file).rows {
        count += 1
        if table.hasRowid, case .integer(let rowid)? = row.values.last { rowids.insert(rowid) }
      }
      waiting += page.named
    }
    return (count, table.hasRowid ? rowids : nil)
  }

  private func lostRows(of table: SalvageTable) -> [ClosedRange<Int64>] {
    guard let trees = trees[table.name], trees.count == 1, let root = trees.first else { return [.min ... .max] }
    var (found, seen, waiting): ([ClosedRange<Int64>], Set<Int>, [(Int, ClosedRange<Int64>)]) = ([], [], [(root, .min ... .max)])
    while let (number, range) = waiting.popLast() {
      guard seen.insert(number).inserted, let page = RawPage(number, of: file), page.isWhole, holds(page, table, range) else {
        found.append(range)
        continue
      }
      guard table.hasRowid else {
        waiting += page.named.map { ($0, range) }
        continue
      }
      var lowest = range.lowerBound
      for (child, upTo) in page.branches {
        guard lowest <= min(upTo, range.upperBound) else { continue }
        waiting.append((child, lowest...min(upTo, range.upperBound)))
        lowest = upTo < .max ? upTo + 1 : .max
      }
    }
    return table.hasRowid || found.isEmpty ? found : [.min ... .max]
  }

  /// Whether a page is what the page above it says: with all rows of the table, and of that range.
  private func holds(_ page: RawPage, _ table: SalvageTable, _ range: ClosedRange<Int64>) -> Bool {
    let kinds: [RawPage.Kind] = table.hasRowid ? [.tableInterior, .tableLeaf] : [.indexInterior, .indexLeaf]
    guard kinds.contains(page.kind) else { return false }
    let (rows, unreadable) = page.rows(of: file)
    return unreadable == 0
      && rows.allSatisfy { row in !row.hasEmptyPage && table.fit(row) != nil && row.rowid.map { range.contains($0) } ?? true }
  }

  private mutating func tree(_ root: Int, hasRowids: Bool) -> [Int] {
    let found = walk(root, hasRowids: hasRowids).filter { !taken.contains($0) }
    taken.formUnion(found)
    return found
  }

  /// `root` and the pages below it that look like pages of such a tree. Below a page of the other kind is another tree.
  private func walk(_ root: Int, hasRowids: Bool) -> [Int] {
    var (found, waiting, seen): ([Int], [Int], Set<Int>) = ([], [root], [])
    while let number = waiting.popLast() {
      guard seen.insert(number).inserted, let page = RawPage(number, of: file), page.kind.hasRowids == hasRowids else { continue }
      found.append(number)
      waiting += page.children.reversed()
    }
    return found
  }

  /// Whether a page in the tree of a table may be one of its pages: half of its rows fit, and nothing else fits clearly better, as where a page
  /// of another table was written over one of this.
  private func belongs(_ number: Int, to table: SalvageTable) -> Bool {
    guard let rows = RawPage(number, of: file)?.rows(of: file).rows, !rows.isEmpty else { return true }
    guard rows.count(where: { table.fit($0) != nil }) * 2 >= rows.count else { return false }
    let sample = rows.prefix(64)
    func score(_ shape: SalvageTable) -> Double { sample.reduce(0) { $0 + (shape.fit($1) ?? 0) } / Double(sample.count) }
    let own = score(table)
    // No value is typical of a column without a type.
    let most = Double(table.stored.count { !$0.type.isEmpty }) / Double(table.stored.count)
    return own >= 0.7 * most || !(tables + indexes).contains { $0.hasRowid == table.hasRowid && score($0) > own + 0.25 }
  }

  private mutating func assign(_ hints: [String: Int]) {
    let rest = file.numbers.filter { !taken.contains($0) && RawPage($0, of: file) != nil }
    let kinds = Dictionary(uniqueKeysWithValues: rest.map { ($0, RawPage($0, of: file)?.kind.hasRowids ?? false) })
    let below = Set(rest.flatMap { number in (RawPage(number, of: file)?.children ?? []).filter { kinds[$0] == kinds[number] } })
    // Trees first, then what nothing leads to any more, even in a circle.
    for root in rest.filter({ !below.contains($0) }) + rest where !taken.contains(root) {
      assign(tree(root, hasRowids: kinds[root] ?? false), root, hints)
    }
  }

  private mutating func assign(_ tree: [Int], _ root: Int, _ hints: [String: Int]) {
    var scores: [(table: SalvageTable, score: Double, isIndex: Bool)] = []
    var (rows, ofSchema) = (0, 0)
    var sums: [(rows: Int, score: Double)] = Array(repeating: (0, 0), count: tables.count + indexes.count)
    let shapes = tables + indexes
    for number in tree {
      for row in RawPage(number, of: file)?.rows(of: file).rows.prefix(64) ?? [] {
        rows += 1
        if row.isOfSchema { ofSchema += 1 }
        for place in shapes.indices {
          guard let score = shapes[place].fit(row) else { continue }
          sums[place].rows += 1
          sums[place].score += score
        }
      }
    }
    // The schema's own pages, where the first page does not lead to them any more.
    guard rows > 0, ofSchema * 2 < rows else { return }
    for (place, sum) in sums.enumerated() where sum.rows * 10 >= rows * 9 {
      // A table that was here when the file was sound is likely to be here still.
      let hint = hints[shapes[place].name] == root ? 1.0 : 0
      scores.append((shapes[place], sum.score / Double(rows) + hint, place >= tables.count))
    }
    // A table whose own tree is whole has lost no page.
    func hasHole(_ name: String) -> Bool { lost[name]?.isEmpty == false }
    if scores.contains(where: { !$0.isIndex && hasHole($0.table.name) }) { scores.removeAll { !$0.isIndex && !hasHole($0.table.name) } }
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
      trees[first.table.name, default: []].append(root)
      pages[first.table.name, default: ([], [])].found += tree
    } else {
      doubtful.append((tree, first.table.name, fittingIndexes.map(\.table.name)))
      trees[first.table.name, default: []].append(root)
    }
  }
}
