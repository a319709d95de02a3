import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("What every import of the SDK's databases promises") struct ImportPromises {
  private typealias SDK = SDKDatabase

  private static let sessions = ImportKind("generation_sessions", title: "model_id", modifiedAt: "updated_at")
  private static let generations = ImportKind("generations", title: "routing_reason")

  @Test("sessions and generations keep in both databases what every import promises", arguments: ImportCheck.allCases, [true, false])
  func history(_ check: ImportCheck, isFirst: Bool) throws {
    try run(check, Self.sessions, Self.generations, isFirst: isFirst) { sample in
      let parent = sample.parent.map { "\($0)" }
      return try isFirst ? Self.blob(sample, in: parent) : Self.row(sample, in: parent)
    }
  }

  private static func blob(_ sample: ImportSample, in session: String?) -> String {
    guard let session else {
      let json = #"""
        {"id":"\#(sample.id)","modelId":"\#(sample.title)","sessionType":"chat","updatedAt":\#(seconds(sample)),
        "startTime":\#(sample.isDamaged ? "\"soon\"" : "776092800.125")}
        """#
      let columns = "'\(sample.id)', '\(sample.title)', 'chat', '\(json)', 1754400000.125, 1754400061.5, 0"
      return "INSERT INTO generation_sessions VALUES (\(columns))"
    }
    let measured = SDK.measured.replacing("privacy", with: sample.title)
    let json = #"""
      {"id":"\#(sample.id)","sessionId":"\#(session)","sequenceNumber":\#(sample.isDamaged ? "\"first\"" : "1"),
      "timestamp":776092800.125\#(measured)}
      """#
    let number = sample.isDamaged ? "'first'" : "1"
    return "INSERT INTO generations VALUES ('\(sample.id)', '\(session)', \(number), '\(json)', 1754400000.125, 1754400000.125, 0)"
  }

  private static func row(_ sample: ImportSample, in session: String?) throws -> String {
    guard let session else {
      return """
        INSERT INTO generation_sessions VALUES ('\(sample.id)', '\(sample.title)', 'chat', 90, 0.25, 4, NULL,
          \(sample.isDamaged ? "'soon'" : SDK.date), NULL, \(SDK.date), \(try time(sample)), 0)
        """
    }
    return """
      INSERT INTO generations VALUES ('\(sample.id)', '\(session)', \(sample.isDamaged ? "'first'" : "1"), 60, 30, 90, 612.5, 49, 90.25,
        0.125, 0.5, 'onDevice', '\(sample.title)', 'LlamaCpp', NULL, NULL, NULL, NULL, \(SDK.date), 0)
      """
  }

  private static let models = ImportKind("model_metadata", title: "name", modifiedAt: "updated_at")

  /// Where a source is cut off, and when an import is cancelled, is the same to every table: in a short run the history shows it.
  static let checksOfRows = ImportCheck.allCases.filter { ProofRun.isLong || ![.cutOff, .cancelled].contains($0) }

  @Test("models keep in both databases what every import promises", arguments: checksOfRows, [true, false])
  func models(_ check: ImportCheck, isFirst: Bool) throws {
    try run(check, Self.models, isFirst: isFirst) { sample in
      guard isFirst else {
        return """
          INSERT INTO model_metadata VALUES ('\(sample.id)', '\(sample.title)', 'gguf', 'LlamaCpp', 807694464, 'q4_K_M', '3.2', 'abc',
            CAST('{}' AS BLOB), NULL, NULL, '/m/l', 1, \(SDK.date), NULL, 4, 5, \(sample.isDamaged ? "'soon'" : SDK.date),
            \(try Self.time(sample)), 0)
          """
      }
      let json = #"""
        {"id":"\#(sample.id)","name":"\#(sample.title)","framework":"MLX","createdAt":\#(sample.isDamaged ? "\"soon\"" : "776092800"),
        "updatedAt":\#(Self.seconds(sample))}
        """#
      return SDK.row("model_metadata", "\(sample.id)", json)
    }
  }

  // The first database gives events no name.
  private static let events = ImportKind("telemetry", title: "type", modifiedAt: "updated_at")

  @Test("events keep in both databases what every import promises", arguments: checksOfRows, [true, false])
  func events(_ check: ImportCheck, isFirst: Bool) throws {
    try run(check, Self.events, isFirst: isFirst) { sample in
      guard isFirst else {
        return """
          INSERT INTO telemetry VALUES ('\(sample.id)', '\(sample.title)', 'load', CAST('{"ms":"12"}' AS BLOB), 'u', 's', NULL, '0.15',
            \(sample.isDamaged ? "'soon'" : SDK.date), \(try Self.time(sample)), 0)
          """
      }
      let json = #"""
        {"id":"\#(sample.id)","eventType":"\#(sample.title)","timestamp":\#(sample.isDamaged ? "\"soon\"" : "1"),
        "updatedAt":\#(Self.seconds(sample))}
        """#
      return SDK.row("telemetry", "\(sample.id)", json)
    }
  }

  /// - Parameter row: the statement that inserts a sample.
  private func run(
    _ check: ImportCheck, _ records: ImportKind, _ children: ImportKind? = nil, isFirst: Bool,
    _ row: @escaping (ImportSample) throws -> String
  ) throws {
    let tables = isFirst ? SDK.first : SDK.second
    let conformance = ImportConformance<InferenceStore>("runanywhere.db", records: records, children: children) { samples, file in
      try RawDatabase.with(file, creating: true) { database in
        try database.execute("PRAGMA foreign_keys = OFF")
        // The SDK's own tables take no id twice.
        try database.execute([.twice, .twiceDifferently].contains(check) ? tables.replacing(" PRIMARY KEY", with: "") : tables)
        for sample in samples { try database.execute(row(sample)) }
      }
    }
    try conformance.run(check)
  }

  /// The time of change, in seconds since 2001.
  private static func seconds(_ sample: ImportSample) -> Int { Int(sample.modifiedAt.timeIntervalSinceReferenceDate) }

  /// The time of change as GRDB writes it.
  private static func time(_ sample: ImportSample) throws -> String {
    "'\(DateCodec.sqlText(try #require(DateCodec.milliseconds(sample.modifiedAt))))'"
  }
}
