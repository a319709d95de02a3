package import Holdfast

/// Imports a documented export into a store whose library is not known, by the store's own tables. No code of the store's app runs.
///
/// A row that the store refuses goes into quarantine, and so do one that the store would keep with another value, one with a value that is not
/// of the kind that the file tells of its column, and one without a key. A row that the store has already stays, unless only the export has
/// changed since an import of this file, or its `updated_at` is later.
package struct PortableTablesImport: ImportFormat {
  package var name: String { base.name }
  package var version: Int { base.version }
  package var kinds: [(name: String, table: String)] { base.kinds }
  package var total: Int { base.total }
  private let base: PortableImport
  private let description: StoreDescription

  /// Reads the document once, and compares its tables with those of the store.
  ///
  /// - Throws: `.invalidSource` for an export that is not whole, that has another table or column; `.newerSource`; `.wrongKind` when the
  ///   store has not the export's schemas; `.decoding` when the store's description is damaged.
  package init(_ document: JSONDocument, into reader: Reader) throws {
    base = try PortableImport(document, into: reader)
    description = try reader.description()
  }

  /// Checks the numbers of rows in the transaction that writes: an app may have added rows since the document was read.
  package func settled(in reader: Reader) throws -> PortableTablesImport {
    for table in base.outlines where base.rowCounts[table.name] ?? 0 > 0 {
      guard let stored = try reader.tables(named: table.name).first,
        let reason = try NamedTables.Table.otherRows(stored, table.key, table.columns, reader).first
      else { continue }
      throw StoreError(
        .invalidSource, "the table \(table.name) cannot be imported: \(reason)", suggestion: "Import into a new store, made by its app.")
    }
    return self
  }

  package func scan(_ reader: Reader, _ visit: (Scanned<PortableImport.Row>, Int) throws -> Void) throws {
    var (kind, tree) = ("", TreeOrder<PortableImport.Row>())
    try base.scan(reader) { scanned, position in
      guard case .record(let record) = scanned else { return try visit(scanned, position) }
      if record.kind != kind {
        try tree.end(visit)
        (kind, tree) = (record.kind, TreeOrder())
      }
      let (row, table) = (record.content, record.content.table)
      guard row.key(table.key) != nil else {
        let reason = table.key.isEmpty ? "its table has no key, by which the row could be found again" : "a part of the key is NULL"
        return try visit(.damaged(kind: record.kind, path: record.path, reason: reason, original: record.original), position)
      }
      guard let links = table.tree, let name = row.key(links.named) else { return try visit(scanned, position) }
      try tree.take(record, named: name, above: links.above.compactMap(row.key), at: position, visit)
    }
    try tree.end(visit)
  }

  package func write(_ record: SourceRecord<PortableImport.Row>, in tx: Writer) throws {
    try record.content.keyed.write(in: tx)
    try KeyedRow.check(readBack(record, in: tx), is: record.fields)
    let content = record.content
    // The app could not read such a row.
    if let finding = try description.finding(content.table.name, content.table.columns, where: content.keyed.condition, in: tx) {
      throw StoreError(.invalidValue, finding)
    }
  }

  package func readBack(_ record: SourceRecord<PortableImport.Row>, in reader: Reader) throws -> StoredShape? {
    try base.readBack(record, where: record.content.keyed.condition, in: reader)
  }
}

extension PortableImport.Row {
  fileprivate var keyed: KeyedRow {
    KeyedRow(table: table.name, columns: table.columns, values: values, key: table.key.compactMap(table.columns.firstIndex(of:)))
  }

  /// The values of columns as the ledger has a key. Nil where one is NULL, and without columns.
  fileprivate func key(_ columns: [String]) -> String? {
    // SQLite keeps the names in foreign keys as they were typed.
    let texts = columns.compactMap { name in
      zip(table.columns, values).first { $0.0.isSameName(as: name) }.flatMap { JSONValue($0.1) }
    }
    guard !columns.isEmpty, texts.count == columns.count, !texts.contains(.null) else { return nil }
    return PortableImport.key(texts.map(\.plainText))
  }
}
