import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The quarantine")
struct QuarantineTests {
  let world: NoteWorld
  let first: ImportReport

  /// Two of four notes are too long for their column.
  init() throws {
    world = try NoteWorld("a\nfar too long for it\nc\nanother that is too long")
    first = try world.importing(NoteFormat(world.text))
  }

  private func importID() throws -> String { try #require(try world.store.quarantine.records().items.first?.importID) }

  /// Imports these lines as a repaired source.
  private func retry(_ text: String, of importID: String? = nil, at name: String = "repaired.txt") throws -> ImportReport {
    let source = world.folder.file(name)
    try text.write(to: source, atomically: true, encoding: .utf8)
    var options = ImportOptions()
    options.retries = try importID ?? self.importID()
    return try world.store.importing(NoteFormat(text), from: ImportSource(source), options: options)
  }

  @Test("records are listed in pages, with their place, reason and source, and shown with their bytes")
  func listed() throws {
    let quarantine = world.store.quarantine
    #expect(try quarantine.count() == 2)
    let page = try quarantine.records(limit: 1)
    let rest = try quarantine.records(after: page.next)
    let records = page.items + rest.items
    #expect(records.map(\.path) == ["line 2", "line 4"] && rest.next == nil)
    #expect(records.allSatisfy { $0.kind == "notes" && $0.field == nil && $0.source == world.source.path && $0.format == "notes" })
    #expect(records[0].reason.contains("length(text) < 10") && records[0].byteCount == 19)
    #expect(try quarantine.record(records[0].id)?.original == Data("far too long for it".utf8))
    #expect(try quarantine.records(kind: "others").items == [] && quarantine.record(99) == nil)
    #expect(try quarantine.records(from: records[0].importID).items == records)
  }

  @Test("remarks about data that comes in are no problems: equal ones are one note, with their number and the first place")
  func remarks() throws {
    let world = try NoteWorld((1...400).map { "note\($0)" }.joined(separator: "\n"))
    var format = NoteFormat(world.text)
    format.remark = "the time is assumed"
    let report = try world.importing(format)
    #expect(report.isClean && report.verified && report.notes == ["the time is assumed (first: line 1)": 400])
    #expect(try world.store.quarantine.count() == 0)
  }

  @Test("what comes in of a repaired source leaves the quarantine, in the place where it stood; the rest stays")
  func repaired() throws {
    let report = try retry("a\nshort\nc\nanother that is too long")
    #expect(report.released == 1 && report.problemCount == 1)
    #expect(try world.notes() == ["a", "c", "short"])
    #expect(try world.store.quarantine.records().items.map(\.path) == ["line 4"])
    #expect(try retry("a\nshort\nc\nbrief").released == 1)
    #expect(try world.store.quarantine.count() == 0)
    #expect(try world.notes() == ["a", "c", "short", "brief"])
  }

  @Test("a plain import releases nothing, and neither does a retry that is taken back or fails")
  func notReleased() throws {
    #expect(try world.importing(NoteFormat(world.text)).released == nil)
    var options = ImportOptions()
    options.retries = try importID()
    options.dryRun = true
    #expect(try world.store.importing(NoteFormat("a\nx\nc\ny"), from: ImportSource(world.source), options: options).released == 2)
    #expect(try world.store.quarantine.count() == 2)
  }

  @Test("a retry names an import that there was, of the same format")
  func wrongImport() throws {
    #expect(#expect(throws: StoreError.self) { try retry("a", of: "nobody") }?.code == .notFound)
    _ = try world.store.write { tx in try tx.execute("UPDATE holdfast_imports SET format = 'other'") }
    #expect(#expect(throws: StoreError.self) { try retry("a") }?.code == .wrongKind)
    #expect(try world.store.quarantine.count() == 2)
  }

  @Test("what is discarded is gone, and nothing else")
  func discarded() throws {
    let records = try world.store.quarantine.records().items
    #expect(try world.store.quarantine.discard([records[0].id, 99]) == 1)
    #expect(try world.store.quarantine.records().items == [records[1]])
  }

  @Test("an export has one object a line, with the bytes as a text or in base64")
  func exported() throws {
    _ = try world.store.write { tx in
      try tx.execute(
        "UPDATE holdfast_quarantine SET original = x'FF00', original_sha256 = \(SHA256Hex.of(Data([0xFF, 0]))) WHERE path = 'line 4'")
    }
    let file = world.folder.file("quarantine.jsonl")
    #expect(try world.store.quarantine.export(to: file) == 2)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].contains(#""original":"far too long for it""#) && lines[0].contains(#""path":"line 2""#))
    #expect(lines[1].contains(#""original":{"base64":"/wA="}"#))
    let own = #expect(throws: StoreError.self) { try world.store.quarantine.export(to: world.folder.file("store.sqlite")) }
    #expect(own?.code == .misuse)
  }

  @Test("bytes that are not those that were kept are refused")
  func damagedBytes() throws {
    _ = try world.store.write { tx in try tx.execute("UPDATE holdfast_quarantine SET original = x'00'") }
    let id = try #require(try world.store.quarantine.records().items.first?.id)
    #expect(#expect(throws: StoreError.self) { try world.store.quarantine.record(id) }?.code == .verificationFailed)
  }

  @Test("the documented export carries the quarantine, and a store that is made of it has it")
  func carried() throws {
    let file = world.folder.file("export.json")
    #expect(try world.store.export(to: file).counts["holdfast_quarantine"] == 2)
    let source = try ImportSource(file)
    let copy = world.folder.file("copy.sqlite")
    let format = try PortableImport(try source.document(), schemas: [NoteWorld.schema])
    #expect(try Store.importing(format, from: source, into: copy, schemas: [NoteWorld.schema]).verified)
    let made = try world.folder.store([NoteWorld.schema], name: "copy.sqlite")
    let (mine, theirs) = (try world.store.quarantine.records().items, try made.quarantine.records().items)
    #expect(theirs.map(\.path) == mine.map(\.path) && theirs.map(\.sha256) == mine.map(\.sha256))
    #expect(theirs.allSatisfy { $0.source == nil })
    #expect(try made.quarantine.record(theirs[0].id)?.original == Data("far too long for it".utf8))
  }
}
