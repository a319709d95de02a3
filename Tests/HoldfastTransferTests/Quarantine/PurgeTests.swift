import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Purging after an import")
struct PurgeTests {
  private let letters: ImportedLetters

  init() throws { letters = try ImportedLetters() }

  @Test("neither the row nor the rows that referenced it are in any byte beside the store, by name or by id; the source and its copy stay")
  func everywhere() throws {
    let store = try letters.withPast()
    #expect(try store.quarantine.count() == 3)
    let report = try store.purge(Person.self, id: letters.person)
    #expect(report.rows == ["people": 1, "letters": 1, "list_letters": 1] && report.quarantined == 2)
    #expect(report.snapshots.count >= 2 && report.setAside == 1 && report.beganArchiveAnew)
    #expect(report.sourceBackups == [letters.source.path + ".backup"])
    try store.write { tx in try tx.insert(Person(id: UUID(), name: "later")) }
    try letters.restoreAll(store.archive())
    try store.close()
    #expect(try letters.holders() == ["letters.holdfast", "letters.holdfast.backup"])
  }

  @Test("what tells of other rows stays: in the ledger, in the quarantine and in the report of the import")
  func others() throws {
    let store = try letters.withPast()
    try store.purge(Person.self, id: letters.person)
    let kinds = try store.rows("SELECT kind FROM holdfast_imported ORDER BY kind, key")
    #expect(kinds == ["letters", "list_letters", "lists", "lists", "people"])
    let places = try store.rows("SELECT p.value ->> 'path' FROM holdfast_imports, json_each(report, '$.problems') AS p")
    #expect(places.count == 3 && !places.contains("by hand"))
    let left = try #require(try store.quarantine.records().items.first)
    let original = try #require(try store.quarantine.record(left.id)?.original)
    #expect(String(decoding: original, as: UTF8.self).contains(IDCodec.lowercase(letters.stays)))
    try store.close()
  }

  @Test("a damaged report of an import, in which no problem can be found, is emptied and stops no purge")
  func damagedReport() throws {
    let store = try letters.withPast()
    try store.write { tx in _ = try tx.execute("UPDATE holdfast_imports SET report = substr(report, 1, 100)") }
    #expect(try store.purge(Person.self, id: letters.person).quarantined == 2)
    #expect(try store.read { try $0.values("SELECT report FROM holdfast_imports") { try $0.text() } } == ["{}"])
    try store.close()
  }

  @Test("a later import of the source brings a purged row back, with the rows that referenced it; one that was only deleted stays away")
  func again() throws {
    let store = try letters.withPast()
    _ = try store.write { tx in try tx.delete(Letter.self, id: letters.stays) }
    try store.purge(Person.self, id: letters.person)
    let report = try letters.importing(into: store)
    #expect(["people", "letters", "list_letters"].map { report.counts[$0]?.imported } == [1, 1, 1])
    #expect(try store.read { reader in try reader.find(Person.self, id: letters.person) } != nil)
    #expect(try store.read { reader in try reader.find(Letter.self, id: letters.stays) } == nil)
    try store.close()
  }
}

struct Person: StoredRecord, Codable {
  static let table = "people"
  var id: UUID
  var name: String
}

struct Letter: StoredRecord, Codable {
  static let table = "letters"
  var id: UUID
  var personID: UUID
  var text: String
}
