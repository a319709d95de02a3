public import Foundation
public import Holdfast
public import ReadingListExample

// snippet: audited-schema
extension ReadingList {
  /// The list with an audit of its books. In an app the declaration goes into `schema` itself.
  public static let audited = StoreSchema(
    "reading", migrations: schema.migrations, records: schema.records,
    declarations: schema.declarations + [.audit("books", unaudited: ["rowid"])])
}
// end

// snippet: audit-use
extension ReadingList {
  /// Takes the last change of a book back, in the name of a person. Returns who had made it; nil when there is no change to take back.
  public func takeBackLastChange(of book: UUID, as person: String) async throws -> String? {
    let id = IDCodec.lowercase(book)
    let changes = try await store.history(of: "books", id: id).filter { $0.operation != .base }
    guard let last = changes.last, let before = changes.dropLast().last else { return nil }
    _ = try await Audit.$actor.withValue(person) { try await store.revert(of: "books", id: id, to: before.id) }
    return last.actor ?? "unknown"
  }
}
// end
