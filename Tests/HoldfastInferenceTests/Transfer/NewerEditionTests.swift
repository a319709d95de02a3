import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Newer editions of the SDK's rows") struct NewerEditionTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld

  init() throws { world = try LegacyWorld() }

  @Test("a preference that was made anew has its new time of making")
  func madeAnew() throws {
    func row(_ made: String, _ updated: String) -> String {
      "INSERT OR REPLACE INTO user_preferences VALUES ('p', 'theme', CAST('1' AS BLOB), '\(made)', '\(updated)')"
    }
    try world.database([SDK.second, row("2001-01-01 00:00:00.000", "2001-01-01 00:00:00.000")])
    #expect(try world.report().counts["user_preferences"]?.imported == 1)
    try world.database([row("2002-02-02 00:00:00.000", "2003-03-03 00:00:00.000")])
    #expect(try world.report().counts["user_preferences"]?.merged == 1)
    #expect(try world.all(UserPreference.self).map(\.createdAt) == [DateCodec.date(milliseconds: 1_012_608_000_000)])
  }

  @Test("a generation of which nothing was measured any more has no measures")
  func unmeasured() throws {
    try world.database([SDK.first, SDK.session(1, #","updatedAt":776092900"#), SDK.generation(2, in: 1)])
    #expect(try world.report().counts["generations"]?.imported == 1)
    #expect(try world.all(Generation.self).first?.performance != nil)
    try world.database([
      "DELETE FROM generation_sessions", "DELETE FROM generations", SDK.session(1, #","updatedAt":776093000"#),
      SDK.generation(2, in: 1, #","performance":null"#),
    ])
    #expect(try world.report().counts["generations"]?.merged == 1)
    #expect(try world.all(Generation.self).map(\.performance) == [nil])
  }
}
