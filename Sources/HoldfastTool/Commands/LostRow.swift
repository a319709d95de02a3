import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

/// One row, by its table and its id or the beginning of it: `collection:7c9e6679-7425-40de-944b-e07fc1f90ae7`.
struct LostRow: ExpressibleByArgument {
  let kind: String
  let id: String

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":") else { return nil }
    (kind, id) = (String(argument[..<colon]), String(argument[argument.index(after: colon)...]))
    if kind.isEmpty || id.isEmpty { return nil }
  }

  /// - Parameter ids: the ids of the older state that begin so.
  func wholeID(among ids: [String]) throws -> String {
    if ids.contains(id) { return id }
    let typed = ids.contains { $0.hasPrefix(id) } ? id : id.lowercased()
    return try IDCodec.parse(id).map(IDCodec.lowercase) ?? Lookup.whole(typed, among: ids, of: "ids of \(kind)") ?? id
  }

  /// The table with a column `id` that `kind` names, by its name or by the library's word for one of its rows.
  func table(of open: Store, _ kinds: [String: Int]) throws -> String {
    let tables = try open.read { reader in
      try reader.tables().filter { table in !table.isOfKit && table.given.contains { $0.lowercased() == "id" } }.map(\.name)
    }
    let counted = Libraries.all.filter { kinds[$0.name] != nil }.flatMap(\.counted).filter { tables.contains($0.table) }
    if tables.contains(kind) { return kind }
    if let known = counted.first(where: { $0.one == kind }) { return known.table }
    if tables.contains(kind + "s") { return kind + "s" }
    throw Failure(
      code: "usage", "\(kind) names no table with a column id",
      suggestion: "--only with one of \((counted.map(\.one) + tables).joined(separator: ", "))", status: .usage)
  }
}
