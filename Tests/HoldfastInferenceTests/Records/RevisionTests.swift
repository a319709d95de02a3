import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// Column by column on the file itself: what a trigger forgot would never be sent.
@Suite("Revisions") struct RevisionTests {
  /// The parts of a configuration: a change of one is a change of it.
  private static let parts = ["analytics_config", "routing_policies", "storage_config"]
  static let tables = Outbox.allCases.map(\.table) + parts
  /// What is no content of a row, and where there is more of it than this.
  private static let bookkeeping: Set = ["rowid", "revision", "acknowledged_revision", "set_aside_revision"]
  private static let further: [String: Set<String>] = [GenerationSession.table: ["first_token_count", "token_rate_count"]]

  /// A row of each table, and a second configuration that a part may move to.
  private static func world() throws -> World {
    let world = try World.temporary()
    try world.store.write { tx in
      try InferenceStore.save(Sample.configuration, in: tx)
      try InferenceStore.save(InferenceConfiguration(id: "another", createdAt: Sample.date), in: tx)
      for part in parts { try tx.execute("DELETE FROM \(raw: part) WHERE configuration_id = 'another'") }
      try tx.insert(Sample.model)
      try tx.insert(Sample.session)
      try tx.insert(Sample.generation)
      try tx.insert(Sample.event)
      try tx.insert(Sample.preference)
    }
    return world
  }

  /// Another value of the column's type.
  private static func other(_ column: String, _ type: String) -> String {
    switch type {
    case "TEXT": column == "configuration_id" ? "'another'" : "ifnull(\(column), '') || '+'"
    case "BLOB": "x'00'"
    // No other row's, where it is the rowid.
    default: "ifnull(\(column), 0) + 100"
    }
  }

  @Test("a change of any column raises the row's revision by one, and an update that changes none does not", arguments: tables)
  func columns(table: String) throws {
    let world = try Self.world()
    let isPart = Self.parts.contains(table)
    try RawDatabase.with(try #require(world.store.url)) { file in
      // Each change is taken back, whatever refers to the row.
      try file.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
      func raised(by update: String) throws -> Int {
        func sum() throws -> Int? {
          try file.rows("SELECT sum(revision) FROM \(isPart ? ConfigurationRow.table : table)").first?.first.flatMap { Int($0) }
        }
        try file.execute("BEGIN")
        defer { try? file.execute("ROLLBACK") }
        let before = try #require(try sum())
        try file.execute("UPDATE \(table) SET \(update) WHERE rowid = (SELECT min(rowid) FROM \(table))")
        return try #require(try sum()) - before
      }
      var silent: Set = ["revision"]
      for column in try file.rows("SELECT name, type FROM pragma_table_info('\(table)')") where column[0] != "revision" {
        let count = try raised(by: "\(column[0]) = \(Self.other(column[0], column[1]))")
        // A part that moves changes the configuration that it leaves and the one that it comes to.
        #expect(count == 0 || count == (column[0] == "configuration_id" ? 2 : 1), "\(column[0])")
        if count == 0 { silent.insert(column[0]) }
        #expect(try raised(by: "\(column[0]) = \(column[0])") == 0, "\(column[0])")
      }
      #expect(silent == (isPart ? ["rowid", "revision"] : Self.bookkeeping.union(Self.further[table] ?? [])))
    }
  }

  @Test("an edit raises the row's revision by one, also one of a part, and saving it again unchanged does not")
  func revisions() async throws {
    let world = try World.inMemory()
    func revision(_ table: String) throws -> Int { try world.store.read { try $0.count("SELECT max(revision) FROM \(raw: table)") } }
    try await world.store.write { tx in
      try tx.upsert(Sample.model)
      try tx.upsert(Sample.model)
    }
    #expect(try revision("model_metadata") == 1)
    var model = Sample.model
    model.tags = []
    try await world.store.write { [model] in try $0.upsert(model) }
    #expect(try revision("model_metadata") == 2)

    try await world.inference.save(Sample.configuration)
    let saved = try revision("configuration")
    try await world.inference.save(Sample.configuration)
    #expect(try revision("configuration") == saved)
    var configuration = Sample.configuration
    configuration.analytics.telemetryConsent = .denied
    try await world.inference.save(configuration)
    #expect(try revision("configuration") == saved + 1)
  }
}
