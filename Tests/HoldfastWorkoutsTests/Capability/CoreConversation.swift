import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

/// Requests as a core writes them, and answers as it reads them.
enum Core {
  static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  static func page() throws -> String { try text("Documentation/WorkoutCapability.md") }

  /// The cases of an enum, as its source has them.
  static func names(of type: String) throws -> Set<String> {
    Set(try text("Sources/HoldfastWorkouts/Capability/\(type).swift").matches(of: #/\n  case (\w+)/#).map { String($0.1) })
  }

  /// Of the log, live updates among them.
  static func verbs() throws -> Set<String> {
    let folders = ["Verbs", "Statistics", "Sample"].map { "Sources/HoldfastWorkouts/\($0)" }
    let files = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).map { "\(folder)/\($0)" }
    }
    return try Set(
      files.flatMap {
        try text($0).components(separatedBy: "\nextension WorkoutLog {").dropFirst().flatMap { part in
          part.components(separatedBy: "\n}\n")[0].matches(of: #/\n  public func (\w+)/#).map { String($0.1) }
        }
      })
  }

  private static var root: URL { URL(fileURLWithPath: #filePath + "/../../../..").standardizedFileURL }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  static func request(_ operation: WorkoutOperation) throws -> Data { Data(try JSONText.bytes(of: operation)) }
  static func request(_ name: String, _ value: String) -> Data { Data("{\"\(name)\":\(value)}".utf8) }

  /// A workout without exercises that lasted 12 seconds.
  static func saving(times: String, named name: String = "Run") -> Data {
    request("saveWorkout", #"{"id":"\#(IDCodec.lowercase(id))","name":"\#(name)","note":null,"duration":12,\#(times),"exercises":[]}"#)
  }

  static func text(of workout: Workout) throws -> String { String(decoding: try JSONText.bytes(of: CoreWorkout(workout)), as: UTF8.self) }

  static func saved(_ id: UUID) -> Data { WorkoutResponse.workoutSaved(id).json }

  static func tree(_ data: Data) throws -> JSONValue {
    var scanner = JSONScanner(JSONDocument(data))
    let value = try scanner.value()
    try scanner.finish()
    return value
  }

  static func error(_ answer: Data) throws -> WorkoutResponse.Failure {
    guard case .error(let failure) = try WorkoutResponse(answer: answer) else {
      throw StoreError(.misuse, "no error: \(String(decoding: answer, as: UTF8.self))")
    }
    return failure
  }

  /// Of the variant that a value is.
  static func name(_ value: some CoreWritten) throws -> String {
    switch try tree(Data(JSONText.bytes(of: value))) {
    case .string(let name): name
    case .object(let members): members.keys.first ?? ""
    default: ""
    }
  }
}
