import Holdfast
import HoldfastTransfer

/// Finds the record that a person names by an id, the beginning of an id, or a name.
enum Lookup {
  typealias Match = (kind: ShownKind, found: ShownKind.Found)

  /// - Throws: `.notFound`; `ambiguous` with the records that match.
  static func one(_ text: String, of kinds: [ShownKind], in reader: Reader) throws -> Match {
    func find(_ wanted: ShownKind.Wanted, among kinds: [ShownKind]) throws -> [Match] {
      try kinds.flatMap { kind in try kind.find(wanted, reader).map { (kind, $0) } }
    }
    // A full id wins over records whose id begins so or whose name is the same.
    let exact = try find(.id(text), among: kinds)
    if let first = exact.first {
      // Two tables may have one number each, in a store of another program.
      guard exact.count == 1 else { throw ambiguous(text, exact) }
      return first
    }
    // A table and an id, as "loans:3".
    let qualified = kinds.filter { text.hasPrefix($0.name + ":") }.map { (kind: $0, typed: String(text.dropFirst($0.name.count + 1))) }
    for (kind, typed) in qualified {
      if let only = try find(.id(typed), among: [kind]).first { return only }
    }
    if let id = IDCodec.parse(text) {
      throw StoreError(.notFound, "there is no \(kinds.map(\.name).joined(separator: " and no ")) \(IDCodec.lowercase(id))")
    }
    func begins(_ typed: String, among kinds: [ShownKind]) throws -> [Match] {
      guard !typed.isEmpty else { return [] }
      let found = try find(.beginning(typed), among: kinds)
      // Ids are in lower case, whatever the person typed; the keys of another program need not be.
      let lower = typed.lowercased()
      return found.isEmpty && lower != typed ? try find(.beginning(lower), among: kinds) : found
    }
    // A name like "1984" may also be the beginning of an id. The name wins: it was typed in full.
    var found: [Match] = []
    if !text.isEmpty {
      found = try find(.name(text), among: kinds.filter { !$0.yields })
      if found.isEmpty { found = try find(.name(text), among: kinds.filter(\.yields)) }
      // Swift compares by canonical equivalence, so a name typed on a Mac equals one from a file name.
      let same = found.filter { $0.found.name == text }
      if !same.isEmpty { found = same }
      if found.isEmpty { found = try begins(text, among: kinds) }
      if found.isEmpty { found = try qualified.flatMap { try begins($0.typed, among: [$0.kind]) } }
    }
    guard let first = found.first else {
      throw StoreError(
        .notFound, "nothing has the id or the title \"\(text)\"",
        suggestion: "\(Program.name) list STORE, or \(Program.name) search STORE TEXT")
    }
    guard found.count == 1 else { throw ambiguous(text, found) }
    return first
  }

  /// The id that a person means: `typed` itself, or the only one that begins so. Nil: none does.
  ///
  /// - Throws: `ambiguous` with the ids when several begin so.
  static func whole(_ typed: String, among ids: [String], of what: String) throws -> String? {
    if ids.contains(typed) { return typed }
    let found = typed.isEmpty ? [] : ids.filter { $0.hasPrefix(typed) }
    guard found.count > 1 else { return found.first }
    throw Failure(
      code: "ambiguous", "several \(what) begin with \(typed): \(found.prefix(5).joined(separator: ", "))",
      suggestion: "Write more of the id.", status: .usage)
  }

  private static func ambiguous(_ text: String, _ found: [Match]) -> Failure {
    let isOneID = Set(found.map(\.found.id)).count == 1
    let labels = found.prefix(5).map { "\($0.kind.name)\(isOneID ? ":" : " ")\($0.found.id) (\(DisplayText.cut($0.found.label, to: 40)))" }
    return Failure(
      code: "ambiguous",
      "\"\(text)\" stands for \(found.count > 5 ? "more than 5" : String(found.count)) things: \(labels.joined(separator: ", "))",
      suggestion: isOneID ? "one of these, with its table" : "one of these ids in full", status: .usage)
  }
}
