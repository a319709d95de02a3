import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A table of fields") struct FieldTableTests {
  private struct Song: Sendable, Equatable {
    var name = ""
    var plays = 7
    var year: Int?
    var addedAt = Date(timeIntervalSince1970: 0)
    var note: String? = "ours"
    var tempo: Double?
  }

  private static let fields: FieldTable<Song> = [
    .required("name", \.name, .text),
    .kept("plays", \.plays, .int),
    .optional("year", \.year, .int),
    .required("addedAt", \.addedAt, .since2001),
    .optional("note", \.note, .text, .keepsUnlessNull),
    .optional("audio.tempo", \.tempo, .double),
  ]

  /// What a record says, or what is wrong with it.
  private func read(_ json: String, isPlain: Bool = false) throws -> (said: SaidRow<Song>, told: [String]) {
    var scanner = JSONScanner(JSONDocument(Array(json.utf8)))
    var members = try SourceMembers(&scanner, "a song", isPlain: isPlain)
    members.open("audio")
    let said = members.read(Self.fields, into: Song())
    var told: [String] = []
    _ = try members.finish(kind: "songs", path: .text("$"), original: .bytes([]), at: 0) { (scanned: Scanned<Void>, _) in
      switch scanned {
      case .damaged(_, _, _, let reason, _): told.append("damaged: \(reason)")
      case .damagedField(_, let field, _, let reason, _): told.append("\(field): \(reason)")
      default: told.append("?")
      }
    }
    return (said, told)
  }

  @Test("each rule of absence, for a field that is not there and for null")
  func absence() throws {
    let stored = Song(name: "old", plays: 1, year: 1999, addedAt: Date(timeIntervalSince1970: 1), note: "theirs", tempo: 90)
    let absent = try read(#"{"name": "new", "addedAt": 0}"#)
    let date = Date(timeIntervalSince1970: 978_307_200)
    #expect(absent.told == [])
    #expect(
      Self.fields.merged(absent.said, into: stored) == Song(name: "new", plays: 1, year: nil, addedAt: date, note: "theirs", tempo: nil))
    let null = try read(#"{"name": "new", "addedAt": 0, "plays": null, "year": null, "note": null, "audio": null}"#)
    #expect(null.told == [])
    #expect(Self.fields.merged(null.said, into: stored) == Song(name: "new", plays: 1, year: nil, addedAt: date, note: nil, tempo: nil))
    #expect(try read(#"{"name": null, "addedAt": 0}"#).told == ["damaged: name is missing"])
    #expect(try read(#"{"name": "n"}"#).told == ["damaged: addedAt is missing"])
  }

  @Test("what is wrong or unknown costs the field alone, is told, and is compared with nothing")
  func wrong() throws {
    let (said, told) = try read(#"{"name": "n", "addedAt": 0, "year": 1.5, "plays": "many", "audio": 5, "colour": "red"}"#)
    #expect(
      told == [
        "audio: audio should be an object", "plays: plays should be a whole number, found \"many\"",
        "year: year should be a whole number, found 1.5", "colour: this field is not known",
      ])
    var stored = Song(name: "n", plays: 3, year: 2001, addedAt: Date(timeIntervalSince1970: 978_307_200), note: "x", tempo: 100)
    #expect(Self.fields.merged(said, into: stored) == stored)
    #expect(Self.fields.shape(of: stored, as: said) == said.fields)
    // A wrong epoch is a difference.
    stored.addedAt = Date(timeIntervalSince1970: 0)
    #expect(Self.fields.shape(of: stored, as: said) != said.fields)
    #expect(
      try read(#"{"name": "n", "name": "m", "addedAt": 0}"#).told == [
        "damaged: name appears twice in this record; keep one of the two in the source, and import it again"
      ])
    #expect(try read("5").told == ["damaged: a song should be an object"])
  }

  @Test("a row is written as the source has it, and what was written is read back equal")
  func written() throws {
    let song = Song(name: "é", plays: 0, year: 2020, addedAt: Date(timeIntervalSince1970: 978_307_200.5), note: nil, tempo: 120.5)
    let object = JSONValue.object(Self.fields.object(of: song, absent: ["note": .string("")]))
    #expect(object.canonicalText() == #"{"addedAt":0.5,"audio":{"tempo":120.5},"name":"é","note":"","plays":0,"year":2020}"#)
    let back = try read(JSONValue.object(Self.fields.object(of: song)).canonicalText()).said
    #expect(Self.fields.merged(back, into: Song(note: nil)) == song)
    #expect(try read(#"{"NAME": "a", "added_at": 0}"#, isPlain: true).said.row.name == "a")
  }

  @Test("a member keeps its bytes of the source when its object is opened, when it is split and when it is set")
  func originals() throws {
    func told(_ members: SourceMembers) throws -> [String] {
      var members = members
      var told: [String] = []
      _ = try members.finish(kind: "songs", path: .text("$"), original: .bytes([]), at: 0) { (scanned: Scanned<Void>, _) in
        if case .damagedField(_, let field, _, _, let original) = scanned {
          told.append("\(field) = \(String(decoding: original.data, as: UTF8.self))")
        }
      }
      return told
    }
    func halves(_ value: inout JSONValue, _: SourceBytes) -> [(name: String, value: JSONValue)]? {
      [("left", .integer(1)), ("right", .integer(2))]
    }
    var scanner = JSONScanner(JSONDocument(Array(#"{"audio": {"gain": 1.50, "deep": { "a":1 }}, "pair": [1,  2]}"#.utf8)))
    var document = try SourceMembers(&scanner, "a song")
    document.open("audio")
    let isSplit = (document.split("pair", into: halves), document.split("none", into: halves))
    #expect(isSplit == (true, false))
    #expect(try told(document) == [#"audio.deep = { "a":1 }"#, "audio.gain = 1.50", "left = [1,  2]", "right = [1,  2]"])

    var object = SourceMembers(["pair": .array([.integer(1), .integer(2)])])
    object.split("pair", into: halves)
    object.set("more", .bool(true))
    #expect(try told(object) == ["left = [1,2]", "more = true", "right = [1,2]"])

    let folder = try TemporaryFolder()
    try RawDatabase.with(folder.file("a.db"), creating: true) {
      try $0.execute("CREATE TABLE songs (pair TEXT, size INTEGER); INSERT INTO songs VALUES ('[1,  2]', 3)")
    }
    try SQLiteSource(ImportSource(folder.file("a.db"))).rows(of: "songs") { row in
      var members = SourceMembers(row, json: ["pair"])
      members.split("pair", into: halves)
      let lines = try told(members)
      #expect(lines == [#"left = "[1,  2]""#, #"right = "[1,  2]""#, "size = 3"])
    }
  }

  @Test("of an object that is none, nothing is said of the fields in it, at any depth")
  func brokenObject() throws {
    let fields: FieldTable<Song> = [.optional("audio.tempo", \.tempo, .double), .optional("audio.deep.year", \.year, .int)]
    let stored = Song(name: "n", plays: 1, year: 1999, tempo: 90)
    for (json, expected) in [("5", stored), ("{}", Song(name: "n", plays: 1, year: nil, tempo: nil))] {
      var scanner = JSONScanner(JSONDocument(Array("{\"audio\": \(json)}".utf8)))
      var members = try SourceMembers(&scanner, "a song")
      for name in ["audio", "audio.deep"] { members.open(name) }
      let said = members.read(fields, into: Song())
      #expect(fields.merged(said, into: stored) == expected, "\(json)")
    }
  }

  @Test("a record with very many members is read in a time that is not the square of their number")
  func many() throws {
    let members = (0..<100_000).map { "\"m\($0)\": 1" }.joined(separator: ", ")
    let (said, told) = try read("{\(members), \"name\": \"n\", \"addedAt\": 0, \"m5\": 2}")
    #expect(
      said.row.name == "n" && told == ["damaged: m5 appears twice in this record; keep one of the two in the source, and import it again"])
  }

  @Test("of two columns that differ only in their spelling the first counts, and the other one is told")
  func columns() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.db")
    try RawDatabase.with(url, creating: true) {
      try $0.execute("CREATE TABLE songs (name TEXT, added_at REAL, playS INTEGER, play_s INTEGER)")
      try $0.execute("INSERT INTO songs VALUES ('n', 0, 3, 4)")
    }
    var told: [String] = []
    var plays: Int?
    try SQLiteSource(ImportSource(url)).rows(of: "songs") { row in
      var members = SourceMembers(row)
      plays = members.read(Self.fields, into: Song()).row.plays
      _ = try members.finish(kind: "songs", path: row.path, original: row.original, at: 0) { (scanned: Scanned<Void>, _) in
        if case .damagedField(_, let field, _, let reason, _) = scanned { told.append("\(field): \(reason)") }
      }
    }
    #expect(plays == 3)
    #expect(told == ["play_s: this field is not known"])
  }
}
