import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What every import promises") struct ImportConformanceTests {
  private struct Bed: StoredRecord, Codable, Identifiable {
    static let table = "beds"
    var id: UUID
    var name: String
    var changedAt: Date
  }

  private struct Plant: StoredRecord, Codable, Identifiable {
    static let table = "plants"
    var id: UUID
    var bedID: UUID
    var name: String
    var changedAt: Date
  }

  private struct Garden: ImportingLibrary {
    static let schema = StoreSchema(
      "garden",
      migrations: [
        Migration(
          "garden/001",
          sql: """
            CREATE TABLE beds (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, changed_at INTEGER NOT NULL) STRICT;
            CREATE TABLE plants (
              rowid INTEGER PRIMARY KEY,
              id TEXT NOT NULL UNIQUE,
              bed_id TEXT NOT NULL REFERENCES beds (id) ON DELETE CASCADE,
              name TEXT NOT NULL,
              changed_at INTEGER NOT NULL
            ) STRICT;
            """)
      ], records: [Bed.self, Plant.self])
    let store: Store
    init(_ store: Store) { self.store = store }

    static func importer(for source: ImportSource) throws -> any ImportFormat {
      let beds: FieldTable<Bed> = [
        .required("id", \.id, .id), .required("name", \.name, .text), .required("changed", \.changedAt, .iso8601),
      ]
      let plants: FieldTable<Plant> = [
        .required("id", \.id, .id), .required("bed", \.bedID, .id), .required("name", \.name, .text),
        .required("changed", \.changedAt, .iso8601),
      ]
      guard SQLiteSource.isDatabase(source.url) else {
        return try JSONListImport(
          "garden-json", source.document(),
          [
            .list("beds", of: "a bed", beds, modifiedAt: \.changedAt), .list("plants", of: "a plant", plants, modifiedAt: \.changedAt),
          ])
      }
      return try SQLiteImport(
        "garden-sqlite", SQLiteSource(source),
        [.table("beds", beds, modifiedAt: \.changedAt), .table("plants", plants, modifiedAt: \.changedAt)])
    }
  }

  private static let beds = ImportKind("beds", title: "name", modifiedAt: "changed_at")
  private static let plants = ImportKind("plants", title: "name", modifiedAt: "changed_at")

  private static func changed(_ sample: ImportSample) -> String {
    sample.isDamaged ? "yesterday" : sample.modifiedAt.formatted(.iso8601)
  }

  private static func writeJSON(_ samples: [ImportSample], _ file: URL) throws {
    let rows = samples.map { sample in
      let bed = sample.parent.map { #""bed": "\#($0)", "# } ?? ""
      return #"{"id": "\#(sample.id)", \#(bed)"name": "\#(sample.title)", "changed": "\#(changed(sample))"}"#
    }
    let beds = zip(samples, rows).filter { $0.0.parent == nil }.map(\.1)
    let plants = zip(samples, rows).filter { $0.0.parent != nil }.map(\.1)
    try Data(#"{"beds": [\#(beds.joined(separator: ", "))], "plants": [\#(plants.joined(separator: ", "))]}"#.utf8).write(to: file)
  }

  private static func writeDatabase(_ samples: [ImportSample], _ file: URL) throws {
    try RawDatabase.with(file, creating: true) { database in
      try database.execute("CREATE TABLE beds (id, name, changed); CREATE TABLE plants (id, bed, name, changed)")
      for sample in samples {
        let bed = sample.parent.map { "'\($0)', " } ?? ""
        let table = sample.parent == nil ? "beds" : "plants"
        try database.execute("INSERT INTO \(table) VALUES ('\(sample.id)', \(bed)'\(sample.title)', '\(changed(sample))')")
      }
    }
  }

  @Test("a sound importer of JSON and of a database passes every check", arguments: ImportCheck.allCases)
  func sound(_ check: ImportCheck) throws {
    for (file, write) in [("garden.json", Self.writeJSON), ("garden.db", Self.writeDatabase)] {
      try ImportConformance<Garden>(file, records: Self.beds, children: Self.plants, write: write).run(check)
    }
  }

  enum Fault: Sendable {
    case cannotBeCancelled, forgetsRetries, otherError
    /// Runs a statement in the store behind every import.
    case statement(String)
  }

  private static func broken(by fault: Fault) -> (LibraryImport) throws -> ImportReport {
    { wanted in
      var wanted = wanted
      switch fault {
      case .cannotBeCancelled: wanted.options.isCancelled = { false }
      case .forgetsRetries: wanted.options.retries = nil
      case .otherError:
        do { return try Garden.importLibrary(wanted) } catch { throw StoreError(.misuse, "it failed") }
      case .statement: break
      }
      let report = try Garden.importLibrary(wanted)
      if case .statement(let sql) = fault {
        let store = try Store.open(at: wanted.store, schemas: [Garden.schema], options: wanted.storeOptions)
        try store.write { tx in _ = try tx.execute(BoundSQL(raw: sql)) }
        try store.close()
      }
      return report
    }
  }

  @Test(
    "an importer that breaks a promise fails its check, and the error says what differs",
    arguments: [
      (.whole, .statement("DELETE FROM plants WHERE name = 'Sample 12'"), "the plants of the store after an import: "),
      (.again, .statement("UPDATE beds SET changed_at = changed_at + 1"), "importing the same again changed the store: "),
      (.orphans, .statement("DELETE FROM holdfast_quarantine"), "the records that are neither in the store nor in the quarantine"),
      (.damaged, .statement("DELETE FROM holdfast_quarantine"), "the records that are neither in the store nor in the quarantine"),
      (.retried, .forgetsRetries, "the quarantine after the damaged records were mended: "),
      (.twice, .statement("DELETE FROM plants"), "the plants of the store after an import of each record twice: "),
      (.twiceDifferently, .statement("UPDATE beds SET name = 'Another 10'"), "the beds of the store after an import of two records with"),
      (.cancelled, .cannotBeCancelled, "an import without a store of 2 records could be cancelled only 0 times"),
      (.cutOff, .otherError, "the error for a source that is cut off after "),
      (.changed, .statement("UPDATE beds SET name = 'Sample 10'"), "the beds of the store after the source changed: "),
      (.newer, .statement("UPDATE beds SET name = 'Edited 10'"), "the beds of the store after the source changed later than the store: "),
      (.edited, .statement("UPDATE beds SET name = 'Other 10'"), "the beds of the store after the source changed and the store later: "),
      (.deleted, .statement("DELETE FROM holdfast_imported"), "the kinds that did not skip every record: "),
    ] as [(ImportCheck, Fault, String)])
  func faults(check: ImportCheck, fault: Fault, message: String) throws {
    let conformance = ImportConformance<Garden>(
      "garden.json", records: Self.beds, children: Self.plants, importer: Self.broken(by: fault), write: Self.writeJSON)
    let error = #expect(throws: StoreError.self) { try conformance.run(check) }
    #expect(error?.code == .verificationFailed && error?.message.hasPrefix(message) == true, "\(String(describing: error))")
    let without = ImportConformance<Garden>(
      "garden.json", records: Self.beds, children: Self.plants, without: [check], importer: Self.broken(by: fault), write: Self.writeJSON)
    try without.run(check)
  }
}
