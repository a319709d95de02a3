import Foundation
import Holdfast
import HoldfastTransfer

extension LibraryConformance {
  /// Reads everything that the description declares, from an empty store and from a filled one.
  func checkDescription() async throws {
    guard let description else { return }
    let empty = try World(schema, inMemory: true, library: library)
    try await empty.store.read { reader in
      for list in description.lists {
        let lines = try list.lines(in: reader)
        try expect([lines.total, lines.objects.count], [0, 0], "the lines of “\(list.name)” in an empty store")
      }
      for (what, shown) in try numbers(of: description, in: reader) { try check(shown, what) }
    }
    try await filled().world.store.read { reader in
      for (table, _, _) in description.counted { _ = try reader.count("SELECT count(*) FROM \(raw: table)") }
      for list in description.lists { try check(list, in: reader) }
      let found = try checkKinds(of: description, in: reader)
      try checkSearch(of: description, finding: found, in: reader)
      for (what, shown) in try numbers(of: description, in: reader) { try check(shown, what) }
    }
  }

  private func numbers(of description: LibraryDescription, in reader: Reader) throws -> [(String, Shown)] {
    let shown = [
      ("the few numbers", try description.info(reader)), ("all numbers", try description.stats?(reader)),
      ("what to continue with", try description.resume(reader)),
    ]
    return shown.compactMap { what, shown in shown.map { (what, $0) } }
  }

  /// Each line has the declared members, and skipping lines leaves the others.
  private func check(_ list: ListDescription, in reader: Reader) throws {
    let whole = try list.lines(in: reader)
    let what = "the list “\(list.name)”"
    try expect(whole.objects.count, whole.total, "the lines of \(what), of which its count")
    try check(Shown([:], [whole.table]), what)
    for line in whole.objects { try expect(members(of: line), list.members.sorted(), "the members of a line of \(what)") }
    for place in whole.objects.indices {
      let one = try list.lines(limit: 1, offset: place, in: reader)
      try expect(one.objects, [whole.objects[place]], "line \(place) of \(what) alone")
      try expect(one.total, whole.total, "the count of \(what) behind \(place) lines")
    }
  }

  /// Each kind finds something by its whole id, and the same by its name and, where the id is a UUID, by the beginning of that.
  /// Returns the names of what was found.
  private func checkKinds(of description: LibraryDescription, in reader: Reader) throws -> [String] {
    let ids = try idsOfRows(in: reader).union(
      description.lists.flatMap { try $0.lines(in: reader).objects.compactMap { text("id", of: $0) } })
    var names: [String] = []
    for kind in description.kinds {
      var found = 0
      for id in ids.sorted() {
        guard let one = try kind.find(.id(id), reader).first else { continue }
        found += 1
        names.append(one.name)
        let what = "the \(kind.name) \(id)"
        guard let shown = try one.show(reader) else { throw StoreError(.verificationFailed, "\(what) is found, and not shown") }
        try check(shown, what)
        let isNamed = try one.name.isEmpty || kind.find(.name(one.name), reader).contains { $0.id == one.id }
        try expect(isNamed, "\(what) is not found by its name “\(one.name)”")
        guard IDCodec.parse(one.id) != nil else { continue }
        for length in [8, 30] {
          let begun = try kind.find(.beginning(String(one.id.lowercased().prefix(length))), reader)
          try expect(begun.contains { $0.id == one.id }, "\(what) is not found by the beginning of its id")
        }
      }
      try expect(found > 0, "no \(kind.name) is found by an id of a row or of a line")
    }
    return names
  }

  /// Search finds something of what is shown. Each hit has a kind, and that kind finds the hit by its id.
  private func checkSearch(of description: LibraryDescription, finding names: [String], in reader: Reader) throws {
    guard let search = description.search else { return }
    var count = 0
    for name in names {
      for ranked in [false, true] {
        let found = try search(name, ranked, 10, reader)
        count += found.hits.count
        try check(Shown([:], found.tables), "what search finds for “\(name)”")
        for hit in found.hits {
          guard let kind = text("kind", of: hit) else { throw StoreError(.verificationFailed, "a hit for “\(name)” has no kind") }
          guard let shown = description.kinds.first(where: { $0.name == kind }) else {
            throw StoreError(.verificationFailed, "search finds a \(kind), which the description does not declare")
          }
          guard let id = text("id", of: hit) else { throw StoreError(.verificationFailed, "a hit for “\(name)” has no id") }
          try expect(try shown.find(.id(id), reader).count == 1, "search finds the \(kind) \(id), which its kind does not find")
        }
      }
    }
    try expect(count > 0, "search finds nothing of what is shown")
  }

  /// Something is shown, each table's rows have a cell for each column, and the numbers of charts are not below zero.
  private func check(_ shown: Shown, _ what: String) throws {
    for block in shown.blocks {
      switch block {
      case .facts: break
      case .table(_, let columns, let rows):
        for row in rows { try expect(row.count, columns.count, "the cells of a row in \(what)") }
      case .chart(let title, let lines):
        for line in lines { try expect(!(line.number < 0), "the bar “\(line.label)” of “\(title)” in \(what) is below zero") }
      }
    }
    for (name, value) in shown.members {
      let isSnakeCase = !name.contains { $0.isUppercase || $0 == " " }
      try expect(isSnakeCase, "the member “\(name)” in \(what) is not in snake_case: \(value.canonicalText())")
    }
  }

  private func idsOfRows(in reader: Reader) throws -> Set<String> {
    var ids: Set<String> = []
    let tables = try reader.values(
      "SELECT t.name FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table' AND c.name = 'id'"
    ) { try $0.text() }
    for table in tables {
      ids.formUnion(try reader.values("SELECT CAST(id AS TEXT) FROM \"\(raw: table)\"") { try $0.text() })
    }
    return ids
  }

  private func members(of line: JSONValue) -> [String] { if case .object(let members) = line { members.keys.sorted() } else { [] } }

  private func text(_ member: String, of line: JSONValue) -> String? {
    if case .object(let members) = line, case .string(let text)? = members[member] { text } else { nil }
  }
}
