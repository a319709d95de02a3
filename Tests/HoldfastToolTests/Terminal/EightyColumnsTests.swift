import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastTool

/// Lists and tables as a terminal of 80 columns shows them.
@Suite("Eighty columns")
struct EightyColumnsTests {
  init() { knowFourLibraries() }

  private struct Plant: StoredRecord, Codable {
    static let table = "plants"
    var id: UUID
    var bedID: UUID
    var position: Int64
    var name: String
    var sownAt: Date?
    var variety: String?
    var tags: [String]
  }

  private static let plant = Plant(
    id: NewID.derived(from: "plant"), bedID: NewID.derived(from: "bed"), position: 1, name: "Tomato",
    sownAt: Date(timeIntervalSince1970: 1_767_225_600), variety: "Black Cherry, for the greenhouse", tags: ["fruit"])
  private static let id = IDCodec.lowercase(plant.id).prefix(8)

  /// A store whose app this program does not know.
  private static func garden(in bench: borrowing Workbench) throws -> String {
    let table = """
      CREATE TABLE plants (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bed_id TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
        sown_at INTEGER, variety TEXT, tags TEXT NOT NULL) STRICT;
      """
    let schema = StoreSchema(
      "garden", migrations: [Migration("garden/001", sql: table)], records: [Plant.self], declarations: [.audit("plants")])
    var options = StoreOptions.production
    options.archive.mode = .begins
    let store = try Store.open(at: bench.url("garden.sqlite"), schemas: [schema], options: options)
    _ = try store.archive()
    try store.write { try $0.insert(plant) }
    try store.close()
    return bench.path("garden.sqlite")
  }

  /// The lines of a list and the remark about columns without room.
  private func list(_ library: LibraryDescription, _ name: String, in store: Store, width: Int) throws -> (text: String, notes: [String]) {
    let list = try #require(library.lists.first { $0.name == name })
    let block = try store.read { try Selection().table(of: list, in: $0).block }
    let shown = Rendering([block], width: width, BarChart.Style(width: width, hasBlocks: false))
    return (Ink.painted(shown.text, isColoured: false), shown.notes)
  }

  @Test("a list of a stranger's plants has names and dates; a long variety is cut between words, and drops only the ids of beds")
  func plants() throws {
    let bench = try Workbench()
    var options = StoreOptions.production
    (options.opensReadOnly, options.migrating) = (true, .never)
    let store = try Store.open(at: URL(fileURLWithPath: Self.garden(in: bench)), schemas: [], options: options)
    let library = try store.read { try PlainTables.described(LibraryDescription(StoreSchema("garden", migrations: [])), in: $0) }
    let shown = try list(library, "plants", in: store, width: 80)
    #expect(
      shown.text == """
        ID        POSITION  NAME    SOWN_AT               VARIETY              TAGS
        \(Self.id)         1  Tomato  2026-01-01T00:00:00Z  Black Cherry, for…   ["fruit"]

        """)
    #expect(shown.notes == ["No room for BED_ID: make the terminal wider, or use --json."])
    try store.close()
  }

  @Test("sessions of an inference store keep their figures beside the beginning of their id; a long model drops the id, not a figure")
  func sessions() async throws {
    let inference = try InferenceStore.inMemory(secretKey: InferenceSample.key)
    try await InferenceSample.fill(inference)
    let shown = try list(InferenceStore.description, "sessions", in: inference.store, width: 80)
    let ids = [2, 1].map { IDCodec.lowercase(InferenceSample.id($0)).prefix(8) }
    #expect(
      shown.text == """
        ID        STARTED               MODEL        TYPE   GENERATIONS  TOKENS    COST
        \(ids[0])  2025-10-07T18:43:20Z  of nobody    batch            1     300  0.0025
        \(ids[1])  2025-10-06T18:00:00Z  small-llama  chat             2     150

        """)
    #expect(shown.notes == [])
    let narrow = try list(InferenceStore.description, "sessions", in: inference.store, width: 70)
    #expect(narrow.notes == ["No room for ID: make the terminal wider, or use --json."])
    try inference.store.close()
  }

  #if os(Linux)
    @Test(
      "audit and diff show the beginnings of ids within their keys",
      arguments: [
        ("audit", "plants:\(EightyColumnsTests.id)  "), ("diff --from 'commit 0' --rows plants", "\"id\":\"\(EightyColumnsTests.id)\"}  "),
      ])
    func keys(command: String, shown: String) throws {
      let bench = try Workbench()
      let store = try Self.garden(in: bench)
      let (verb, options) = (command.prefix { $0 != " " }, command.drop { $0 != " " })
      // `script` gives the command a terminal.
      let finished = try bench.shell(
        "export PAGER= NO_COLOR=1 TERM=xterm; script -qec \"stty cols 200; '$1' \(verb) '\(store)'\(options)\" /dev/null < /dev/null")
      #expect(finished.output.contains(shown), "\(finished.output)\(finished.errors)")
    }
  #endif
}
