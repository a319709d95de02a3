import Foundation
import Holdfast
import HoldfastTransfer

/// Which library a source is for.
///
/// The store decides, if there is one; then what the person says; then the content of the source.
struct ImportChoice {
  let source: FilePath
  let store: FilePath
  /// The schemas in the store, with their versions; empty for a store that must be made or filled.
  let kinds: [String: Int]
  let name: String?
  let format: String?

  /// - Throws: `.wrongKind` when the store is for another library; `ambiguous` when several are possible; `.invalidSource` when
  ///   none is; `.notFound` and the like for the source.
  func library() throws -> LibraryDescription {
    let held = kinds.isEmpty ? Libraries.all : try Libraries.held(kinds, in: store.path, named: nil)
    let candidates = try said(held)
    if let only = candidates.first, candidates.count == 1, format != nil { return only }
    let look = try SourceLook(source.url)
    if let only = candidates.first, candidates.count == 1 {
      try refuse(look, unlessFor: only)
      return only
    }
    let likely = try candidates.map { (library: $0, likeness: try $0.likeness(of: look)) }
    for wanted in [FormatDescription.Likeness.certain, .possible] {
      let found = likely.filter { $0.likeness == wanted }.map(\.library)
      if let only = found.first, found.count == 1 { return only }
      if found.count > 1 {
        throw Failure(
          code: "ambiguous", "\(source.path) may be for \(found.map { $0.name }.joined(separator: " or for "))",
          suggestion: "\(Libraries.choices(found)); or --format, see \(Program.name) formats", status: .usage)
      }
    }
    throw unknown(look)
  }

  private func said(_ held: [LibraryDescription]) throws -> [LibraryDescription] {
    let candidates = held.filter { library in
      (name == nil || library.name == name) && (format == nil || library.readable.contains { $0.name == format })
    }
    guard candidates.isEmpty else { return candidates }
    let names = held.map { $0.name }.joined(separator: " and ")
    if let name, !held.contains(where: { $0.name == name }) { throw StoreError(.wrongKind, "\(store.path) holds \(names), not \(name)") }
    let owner = Libraries.all.first { $0.readable.contains { $0.name == format } }?.name ?? "another library"
    throw StoreError(
      .wrongKind, "the format \(format ?? "") belongs to \(owner), not to \(name ?? names)",
      suggestion: "Choose another store, or another format; see \(Program.name) formats.")
  }

  /// Refuses a source that is clearly another library's: every record would be quarantined as damaged.
  private func refuse(_ look: SourceLook, unlessFor only: LibraryDescription) throws {
    guard try only.likeness(of: look) == nil, let other = try Libraries.all.first(where: { try $0.likeness(of: look) == .certain }) else {
      return
    }
    throw StoreError(
      .wrongKind,
      "\(source.path) is for \(other.name), and "
        + (kinds.isEmpty ? "not for \(only.name)" : "\(store.path) holds \(only.name)") + "; nothing was changed",
      suggestion: "Choose another store. If the file is for \(only.name) after all, name its format: --format NAME.")
  }

  private func unknown(_ look: SourceLook) -> StoreError {
    if let exported = look.exportedSchemas, !exported.isEmpty {
      return StoreError(
        .wrongKind,
        "\(source.path) is an export of \(exported.sorted().joined(separator: " and ")), which this program does not know: it can be imported "
          + "only into a store that the library's app has made",
        suggestion: "--into a store that the app has made; or move a whole store: \(Program.name) snapshot create STORE, then "
          + "\(Program.name) restore STORE --snapshot ID --to FILE.")
    }
    var error = StoreError(.invalidSource, "\(source.path) \(Self.words(look))")
    if look.tables == nil { error.offset = 0 }
    if let first = look.beginning.first, "{[".contains(first) {
      // The place of the damage says more than "no known kind".
      do {
        var scanner = JSONScanner(try JSONDocument(contentsOf: source.url))
        try scanner.skip()
        try scanner.finish()
      } catch {
        return StoreError.invalidJSON(error)
      }
    }
    error.suggestion =
      "\(Program.name) formats, which lists the formats that can be read; --format NAME, if the content does not show the format."
    return error
  }

  private static func words(_ look: SourceLook) -> String {
    if look.isEmpty { return "is empty: expected a library at byte 0, found the end of the file" }
    func list(_ names: [String]) -> String { names.prefix(12).joined(separator: ", ") }
    if let tables = look.tables {
      return "is a database of no known kind: it \(SQLiteSource.found(tables.sorted(), at: look.url))"
    }
    let (expected, members) = ("is of no known kind: at byte 0, expected one of the formats that can be read", look.members.map(\.key))
    if members.isEmpty { return expected }
    return "\(expected), found a JSON object with the \(members.count == 1 ? "member" : "members") \(list(members))"
  }
}
