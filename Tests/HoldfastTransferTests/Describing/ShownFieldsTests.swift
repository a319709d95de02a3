import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// The fields of a description follow from the properties of a value; a library writes those that differ.
@Suite("Shown fields") struct ShownFieldsTests {
  private enum Words {}

  private struct Leaf {
    var width = 2.5
    var dryLeaves = 0
  }

  private struct Bed {
    var width = 4.0
    var sizeBytes: Int64? = 1_500_000
  }

  private struct Plant {
    var name = "Basil"
    var kind: OpenWord<Words> = "herb"
    var count = 3
    var height: Double? = 1.25
    var sownAt: Date? = Date(timeIntervalSince1970: 0)
    var isRare = true
    var growingSeconds: Double? = 3723
    var wateringSeconds: Int? = 90
    var tags = ["a", "b"]
    var more = StoredJSON<[String: String]>(text: #"{"a":"b"}"#)
    var counts = ["a": 1]
    var leaf: Leaf?
    var bed = Bed()
  }

  @Test("fields are in the given order; nil is only for programs, `people` only for people, `flexible` may be cut")
  func titles() {
    let fields = ShownFields<Plant>(["double": { .count($0.count * 2) }, "name": { .text($0.name.uppercased()) }]).titled([
      "name": .flexible("PLANT"), "kind": .people("KIND"), "count": nil, "double": "DOUBLE", "tags": .people("TAGS", shrinks: true),
    ])
    #expect(fields.map(\.name) == ["name", nil, "count", "double", nil])
    #expect(fields.map(\.title) == ["PLANT", "KIND", nil, "DOUBLE", "TAGS"])
    #expect(fields.map(\.shrinks) == [true, false, false, false, true])
    #expect(fields.object(of: Plant()).canonicalText() == #"{"count":3,"double":6,"name":"BASIL"}"#)
    #expect(fields.map { $0.value(Plant()).words } == ["BASIL", "herb", "3", "6", "a, b"])
  }

  @Test("a value is shown by its type, and a number also by the unit that ends its name")
  func kinds() {
    let fields = ShownFields<Plant>().titled([
      "count": "", "height": "", "sown_at": "", "is_rare": "", "growing_seconds": "", "watering_seconds": "", "more": "", "counts": "",
      "bed_size_bytes": "",
    ])
    let words = ["3", "1.25", "1970-01-01T00:00:00Z", "yes", "1:02:03", "1:30", #"{"a":"b"}"#, #"{"a":1}"#, "1.5 MB"]
    #expect(fields.map { $0.value(Plant()).words } == words)
    #expect(
      fields.object(of: Plant()).canonicalText()
        == """
        {"bed_size_bytes":1500000,"count":3,"counts":{"a":1},"growing_seconds":3723.0,"height":1.25,"is_rare":true,"more":{"a":"b"},\
        "sown_at":"1970-01-01T00:00:00.000Z","watering_seconds":90}
        """)
    // A column of numbers is aligned right, also when its first line has none.
    let unknown = Plant(height: nil, sownAt: nil, growingSeconds: nil, wateringSeconds: nil)
    guard case .table(_, let columns, let cells) = fields.table(of: [unknown]) else {
      Issue.record("no table")
      return
    }
    #expect(columns.map(\.alignsRight) == [true, true, false, false, true, true, false, false, true])
    #expect(cells == [["3", "", "", "yes", "", "", #"{"a":"b"}"#, #"{"a":1}"#, "1.5 MB"]])
  }

  @Test("a property of a struct in the item is found by its own name or behind the struct's; a misspelled name says so")
  func parts() {
    let fields = ShownFields<Plant>().titled(["width": nil, "leaf_width": nil, "bed_width": nil, "dry_leaves": nil, "wing": nil])
    let plants = [Plant(), Plant(leaf: Leaf(dryLeaves: 1)), Plant()]
    #expect(
      plants.map { fields.object(of: $0).canonicalText() } == [
        #"{"bed_width":4.0,"dry_leaves":null,"leaf_width":null,"width":4.0,"wing":null}"#,
        #"{"bed_width":4.0,"dry_leaves":1,"leaf_width":2.5,"width":4.0,"wing":"no property wing"}"#,
        #"{"bed_width":4.0,"dry_leaves":null,"leaf_width":null,"width":4.0,"wing":null}"#,
      ])
  }

  private struct Note: StoredRecord, Codable {
    static let table = "notes"
    var id: UUID
    var text: String
    var writtenAt: Date
  }

  @Test("a list of records in an order of its own has the record's columns, and one more; a condition selects and counts")
  func list() throws {
    let folder = try TemporaryFolder()
    let sql = "CREATE TABLE notes (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, written_at INTEGER NOT NULL)"
    let schema = StoreSchema("notes", migrations: [Migration("notes/001", sql: "\(sql) STRICT")], records: [Note.self])
    let store = try Store.open(at: folder.file("notes.sqlite"), schemas: [schema])
    let texts = ["one", "three", "seven", "nothing"]
    try store.write { tx in
      for (place, text) in texts.enumerated() {
        let written = Date(timeIntervalSince1970: Double(place))
        try tx.insert(Note(id: NewID.derived(from: text), text: text, writtenAt: written))
      }
    }
    let titles: KeyValuePairs<String, ShownTitle> = ["id": "ID", "text": "TEXT", "written_at": "WRITTEN_AT"]
    let fields = ShownFields<Note>().titled(titles) + [ShownField("length", "LENGTH") { .count($0.text.count) }]
    let newest = Listing(
      condition: "text <> 'nothing'", columns: [("written_at", .number), ("id", .text)], isDescending: true)
    let list = ListDescription("notes", "newest first", fields, by: newest)
    #expect(list.members == ["id", "text", "written_at", "length"])
    let lines = try store.read { try list.lines(limit: 2, in: $0) }
    #expect(lines.total == 3)
    guard case .table(_, let columns, let cells) = lines.table else {
      Issue.record("no table")
      return
    }
    #expect(columns.map(\.title) == ["ID", "TEXT", "WRITTEN_AT", "LENGTH"])
    #expect(cells.map { $0.dropFirst().joined(separator: " ") } == ["seven 1970-01-01T00:00:02Z 5", "three 1970-01-01T00:00:01Z 5"])
  }
}
