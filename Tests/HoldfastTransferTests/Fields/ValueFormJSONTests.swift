import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@Suite("A Codable value as JSON in a source")
struct ValueFormJSONTests {
  private struct Thing: Codable, Sendable, Equatable {
    var at: Date
    var size: Double
    var note: String?
  }

  private struct Row: Sendable {
    var thing = Thing(at: .distantPast, size: 0)
  }

  private func read(_ json: String, _ dates: JSONDates) throws -> (SaidRow<Row>, isEqual: Bool, isDamaged: Bool) {
    let table: FieldTable<Row> = [.required("thing", \.thing, .json(Thing.self, dates: dates))]
    var members = SourceMembers(["thing": try #require(JSONValue(json: json))])
    let said = members.read(table, into: Row())
    return (said, table.shape(of: said.row, as: said) == said.fields, members.problem != nil)
  }

  @Test(
    "1 is 1.0, null is no member, and dates stand as the program writes them",
    arguments: [
      (JSONDates.milliseconds, "1760000000500", 0.5), (.seconds, "1760000000.5", 0.5), (.secondsSince2001, "781692800.5", 0.5),
      (.iso8601, "\"2025-10-09T08:53:20Z\"", 0),
    ])
  func forms(dates: JSONDates, at: String, rest: Double) throws {
    for more in [",\"size\":1", ",\"size\":1.0,\"note\":null", ",\"note\":\"a\",\"size\":1e0"] {
      let (said, isEqual, isDamaged) = try read("{\"at\":\(at)\(more)}", dates)
      #expect(said.row.thing.at == Date(timeIntervalSince1970: 1_760_000_000 + rest) && said.row.thing.size == 1)
      #expect(isEqual && !isDamaged, "\(more)")
    }
  }

  @Test(
    "a member that the type lacks, and a value of another kind, are wrong",
    arguments: [",\"size\":1,\"font\":1", ",\"size\":\"1\"", ""])
  func wrong(more: String) throws {
    #expect(try read("{\"at\":0\(more)}", .seconds).isDamaged)
  }
}
