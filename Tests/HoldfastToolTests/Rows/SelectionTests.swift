import Holdfast
import HoldfastTransfer
import Testing

@testable import HoldfastTool

@Suite("Which lines of a list, and in which order")
struct SelectionTests {
  @Test(
    "a condition compares texts without case and accents, numbers as numbers, and an id also by eight characters of its beginning",
    arguments: [
      ("title=cafe", .string("Café"), true), ("title=caf", .string("Café"), false), ("title~AF", .string("Café"), true),
      ("title!=cafe", .string("Café"), false), ("title<d", .string("Café"), true), ("title >= d", .string("Café"), false),
      ("year=1998", .integer(1998), true), ("year=1998.0", .integer(1998), true), ("year<1e4", .integer(1998), true),
      ("year>200", .integer(1998), true), ("year<=1998", .integer(1998), true), ("year<=1997.5", .double(1998), false),
      ("year=nan", .integer(1998), false), ("year=0x10", .integer(16), false), ("year<inf", .integer(1998), false),
      ("year<1e999", .double(1.5), false), ("year>-0.5e3", .double(-1.5), true), ("year=+1998", .integer(1998), true),
      ("name=nan", .string("NaN"), true), ("year>a", .integer(1998), false), ("year!=a", .integer(1998), true),
      ("year~99", .integer(1998), true),
      ("at>=2025-11-03", .string("2025-11-03T02:10:05.000Z"), true), ("at<2025-11-03", .string("2025-11-03T02:10:05.000Z"), false),
      ("on=true", .bool(true), true), ("on!=true", .bool(true), false), ("x=", .null, true), ("x!=", .null, false),
      ("x!=", .integer(1), true),
      ("x>0", .null, false), ("tags=a", .array([.string("b"), .string("A")]), true), ("tags!=a", .array([.string("b")]), true),
      ("tags!=a", .array([.string("b"), .string("a")]), false), ("tags=a", .array([]), false),
      ("id=0a0a0a0a", .string("0a0a0a0a-0000-4000-8000-000000000001"), true),
      ("id=0A0A0A0A-0000", .string("0a0a0a0a-0000-4000-8000-000000000001"), true),
      ("id!=0a0a0a0a", .string("0a0a0a0a-0000-4000-8000-000000000001"), false),
      ("id=0a0a0a0", .string("0a0a0a0a-0000-4000-8000-000000000001"), false), ("title=Loomings", .string("Loomings and more"), false),
    ] as [(String, JSONValue, Bool)])
  func conditions(typed: String, value: JSONValue, holds: Bool) throws {
    #expect(try Condition(typed: typed).holds(for: value) == holds)
  }

  @Test("what is no condition is refused", arguments: ["title", "=a", "a==b", "a=~b", "a<>b", "a=>b", "", "!a"])
  func noConditions(typed: String) {
    #expect(throws: (any Error).self) { try Condition(typed: typed) }
  }

  @Test("unknown values come last in both directions, and equal ones keep their order")
  func order() throws {
    let values = [JSONValue.string("b"), .null, .string("Ä"), .integer(10), .double(9.5), .string("B"), .null].map(OrderedValue.init)
    #expect(try #require(SortOrder(argument: "x")).places(values) == [4, 3, 2, 0, 5, 1, 6])
    #expect(try #require(SortOrder(argument: "x:desc")).places(values) == [0, 5, 2, 3, 4, 1, 6])
  }

  @Test("a field that has numbers and texts is compared with either; one that has numbers only is not compared with a text")
  func mixed() throws {
    let fields = [ShownField<Int>("mixed") { $0 == 1 ? .text("one") : .count($0) }, ShownField<Int>("number") { .count($0) }]
    let list = ListDescription("x", "", fields) { _ in [0, 1, 2] }
    func count(_ typed: String...) throws -> Int {
      let selection = Selection(conditions: try typed.map { try Condition(typed: $0) })
      return try Store.inMemory(schemas: []).read { try selection.total(of: list, in: $0) }
    }
    let counts = try [count("mixed=ONE"), count("mixed=2"), count("mixed!=one", "number>0"), count("number=")]
    #expect(counts == [1, 1, 1, 0])
    #expect(throws: Failure.self) { try count("number=one") }
    // Also where another condition has left out every line.
    #expect(throws: Failure.self) { try count("number>7", "number=one") }
  }

  @Test("list takes every sign and an order, with a window behind both; its error names the signs, or the fields")
  func list() async throws {
    let bench = try Workbench()
    let store = try await bench.music()
    func titles(_ arguments: String...) throws -> [String] {
      let finished = try bench.run(["list", store, "tracks", "--json"] + arguments, status: 0)
      return (finished.document["tracks"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
    }
    let all = try titles()
    #expect(try titles("--offset", "1", "--limit", "2") == Array(all[1...2]) && titles("--offset", "9") == [])
    #expect(try titles("--where", "artist~nantucket") == ["Loomings", "The Spouter-Inn"] && titles("--where", "title=CAFE") == ["Café"])
    #expect(try titles("--where", "year=1998", "--where", "play_count=3") == ["The Spouter-Inn"])
    let unknown = try bench.run("list", store, "tracks", "--where", "films=1", status: 64)
    #expect(unknown.errors.hasPrefix("Error: the list tracks has no field films\n"), "\(unknown.errors)")
    #expect(try titles("--where", "year>=1998", "--where", "year<2008", "--sort", "title") == ["Duet", "Loomings", "The Spouter-Inn"])
    #expect(try titles("--sort", "duration_seconds:desc") == ["三体", "The Spouter-Inn", "Loomings", "Café", "Duet"])
    #expect(try titles("--sort", "duration_seconds:desc", "--offset", "1", "--limit", "2") == ["The Spouter-Inn", "Loomings"])
    let window = try bench.run("list", store, "tracks", "--where", "genre=jazz", "--sort", "year", "--limit", "1", "--json").document
    #expect(window["total"] as? Int == 3 && (window["tracks"] as? [Any])?.count == 1)
    let text = try bench.run("list", store, "tracks", "--where", "genre=jazz", "--limit", "1")
    #expect(text.output.split(separator: "\n").count == 2 && text.errors == "… and 2 more.\n")
    try bench.run("list", store, "tracks", "--where", "year==1998", status: 64, errors: "=, !=, <, <=, >, >=, ~ (contains)")
    for typed in ["year=nan", "year=0x10", "year<inf", "year!=a"] {
      for form in ["--json", "--csv", "--limit=1"] {
        let refused = try bench.run("list", store, "tracks", "--where", "year>0", "--where", typed, form)
        let text = refused.output + refused.errors
        #expect(refused.status == 64 && text.contains("year has numbers, and") && !text.contains("Loomings"), "\(typed): \(text)")
      }
    }
    #expect(try titles("--where", "year~99", "--sort", "title") == ["Loomings", "The Spouter-Inn"])
    try bench.run("list", store, "tracks", "--sort", "films", status: 64, errors: "Try: --sort with one of added_at, album")
  }

  @Test("list writes CSV, text with tabs and JSON by lines, with the members of its document")
  func formats() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let csv = try bench.run("list", store, "tracks", "--csv", "--sort", "number:desc", "--limit", "1")
    #expect(
      csv.output == """
        id,display_name,collection_title,duration_seconds,position_seconds,is_favorite,number,collection_id\r
        0b7c1d52-8b0f-4e43-9d56-3f1c7a0e2b11,002 科学边界.mp3,三体,2105.5,,false,2,7c9e6679-7425-40de-944b-e07fc1f90ae7\r

        """)
    let lines = try bench.run("list", store, "collections", "--jsonl").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].contains(#""title":"Moby Dick""#))
    #expect(try bench.run("list", store, "--tsv").output.hasPrefix("id\ttitle\t"))
    #expect(try bench.run("list", store, "--csv", "--json").status == 64)
  }
}
