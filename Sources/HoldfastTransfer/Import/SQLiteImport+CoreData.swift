public import Foundation
public import Holdfast

// How Core Data, and SwiftData on top of it, lays out a file: an entity and all that inherit from it share the table `ZROOT`, with a row's
// entity in `Z_ENT` (its number: `Z_PRIMARYKEY`), its number in `Z_PK`, an attribute `text` and a to-one relationship in `ZTEXT`, and a
// many-to-many relationship in a table such as `Z_2TAGS`. There is no specification; these are the names in such files.

extension SQLiteImport.Table {
  /// Describes one entity of a file that Core Data or SwiftData wrote.
  ///
  /// ```swift
  /// static let coreData: FieldTable<Note> = [
  ///   .required("Z_PK", \.id, .derived(from: "Note")),
  ///   .optional("folder", \.folderID, .derived(from: "Folder")),
  ///   .required("createdAt", \.createdAt, .since2001),
  /// ]
  ///
  /// try SQLiteImport("notes-coredata", SQLiteSource(source), [.entity("Folder", Folder.coreData), .entity("Note", Note.coreData)])
  /// ```
  /// A many-to-many relationship is a table, `.table("Z_2TAGS", …)`, whose columns name the rows of both sides by their numbers.
  ///
  /// - Parameters:
  ///   - name: the entity's name in the model.
  ///   - root: the topmost entity from which it inherits. Default: it inherits from none.
  ///   - fields: the attributes and to-one relationships by their names in the model, and `Z_PK`. A relationship is the other row's `Z_PK`.
  ///     An attribute that is transformable, or allows external storage, is refused by name: only the app can read it. The second is seen where
  ///     a value names a file, or where all of its values begin with the byte 1, by which Core Data marks those that it keeps itself.
  ///   - blank, modifiedAt, save: as for `table`.
  public static func entity<Row: StoredRecord>(
    _ name: String, root: String? = nil, _ fields: FieldTable<Row>, blank: Row? = nil,
    modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
    save: @escaping @Sendable (Row, Writer) throws -> Void = { try $1.upsert($0) }
  ) -> SQLiteImport.Table {
    let columns = FieldTable(fields.fields.map { $0.name.hasPrefix("Z_") ? $0 : $0.named("Z\($0.name)") })
    var table = Self.table("Z\((root ?? name).uppercased())", columns, blank: blank, modifiedAt: modifiedAt, save: save)
    table.entity = name
    table.bytes = Set(columns.fields.filter { $0.parts.column == .bytes }.map(\.name))
    return table
  }

  /// The number of the entity; nil for a table.
  func entityNumber(_ source: SQLiteSource) throws -> SQLValue? {
    guard let entity else { return nil }
    var number: SQLValue?
    try source.rows(of: "Z_PRIMARYKEY", where: (column: "z_name", value: .text(entity))) { row in number = number ?? row.value("Z_ENT") }
    guard let number else {
      throw StoreError(
        .invalidSource, "this database has no entity \(entity)", suggestion: "Check that this is the database of the right app.")
    }
    return number
  }

  /// - Throws: `.invalidSource` for an attribute that only the app can read.
  func checkAttributes(_ source: SQLiteSource, _ wanted: [String]) throws {
    guard let entity, let number = try entityNumber(source) else { return }
    let plain = Set(wanted.map(SourceMembers.plain))
    for column in try source.columns(of: name) where plain.contains(SourceMembers.plain(column)) {
      var (blobs, archives, marked, files) = (0, 0, 0, 0)
      try source.rows(of: name, only: [SQLiteSource.lowercased(column)], where: (column: "z_ent", value: number)) { row in
        guard case .blob(let value)? = row.value(column) else { return }
        blobs += 1
        if value.starts(with: Data("bplist00".utf8)) { archives += 1 }
        // 1: the bytes follow; 2: a UUID follows, the name of a file in the folder beside the database.
        if value.first == 1 { marked += 1 }
        if value.first == 2, (37...38).contains(value.count) { files += 1 }
      }
      let isBytes = bytes.contains { SourceMembers.plain($0) == SourceMembers.plain(column) }
      let isExternal = isBytes && (files > 0 || marked > 0 && marked == blobs)
      guard isExternal || !isBytes && archives > 0 else { continue }
      let reason = files > 0 ? "has values in files of their own" : isExternal ? "seems to allow external storage" : "is transformable"
      throw StoreError(
        .invalidSource, "the attribute \(column.dropFirst()) of \(entity) \(reason): only the app itself can read it",
        suggestion: "Leave the field out, or let the app write it to a file of JSON and import that.")
    }
  }
}
