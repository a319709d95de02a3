import Foundation
import Testing

/// What every verb of a library of ours keeps.
struct VerbTests {
  static let libraries = [
    ("HoldfastAudiobooks", "AudiobookLibrary"), ("HoldfastMusic", "MusicStore"), ("HoldfastWorkouts", "WorkoutLog"),
    ("HoldfastInference", "InferenceStore"),
  ]

  /// The public methods in the library's own extensions, each with its first line.
  private static func methods(of type: String, in module: String) throws -> [(name: String, line: String)] {
    let folders = ["Verbs", "Statistics", "Secrets", "Sample"].map { "Sources/\(module)/\($0)/" }
    let files = try House.files(in: "Sources/\(module)").filter { file in folders.contains { file.hasPrefix($0) } }
    return try files.flatMap { file in
      try House.text(file).components(separatedBy: "\nextension \(type) {").dropFirst().flatMap { part in
        part.components(separatedBy: "\n}\n")[0].components(separatedBy: "\n  public func ").dropFirst().map { text in
          (String(text.prefix { $0.isLetter || $0.isNumber }), String(text.prefix { $0 != "{" }))
        }
      }
    }
  }

  @Test("every verb is one that the conformance calls", arguments: libraries)
  func inConformance(_ module: String, _ type: String) throws {
    let methods = try Self.methods(of: type, in: module)
    #expect(methods.count > 20)
    let cases = try House.files(in: "Tests/\(module)Tests").map(House.text).filter { $0.contains(#/Verb(Case)?\(name:/#) }
    #expect(methods.map(\.name).filter { name in !cases.contains { $0.contains(".\(name)(") } } == [])
  }

  @Test("a verb has one public form that opens its transaction, and it is async", arguments: libraries)
  func oneForm(_ module: String, _ type: String) throws {
    let forms = try Self.methods(of: type, in: module).filter {
      !$0.line.contains("-> Updates<") && !$0.line.contains(" in reader: Reader")
    }
    #expect(
      forms.filter { $0.line.contains("throws") && !$0.line.contains("async throws") && !$0.line.contains(" in tx: Writer") }.map(\.name)
        == [])
  }
}
