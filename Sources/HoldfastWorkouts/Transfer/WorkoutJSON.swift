import Foundation
import Holdfast
import HoldfastTransfer

/// A workout or a list of workouts in the app's own JSON: the workout in progress, the history, or a copy of one that could not be saved.
///
/// The first app's keys are in camelCase, its times count seconds since 2001, its ids are in upper case, and keys without a value are
/// left out. The core's keys are in snake_case, its times have nanoseconds, which are stored to the millisecond, and missing values are
/// null. The order of a list counts, not `set_index`. The enclosing record is the parent, whatever `workout_id` says.
///
/// A single workout without an end is in progress, and stays so if the log has none in progress; in a list it is history. Null
/// means that no workout was in progress, and imports nothing. A workout without any `completed` field was written before that
/// field existed: then sets with repetitions or a duration above 0 were done.
struct WorkoutJSON: ImportFormat {
  let name: String
  let version = 1
  let kinds = WorkoutRecord.kinds
  let laterIndexes = WorkoutRecord.laterIndexes
  private let shape: WorkoutShape
  var total: Int { document.count }
  private let document: JSONDocument
  private let isOne: Bool
  private let isDamaged: Bool

  /// Reads the whole document once: a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset.
  init(_ document: JSONDocument, as name: String) throws {
    let (isOne, isEmpty) = try document.whole { scanner in
      let isOne =
        switch try scanner.peek() {
        case .array, .null: false
        case .object: true
        default: throw Self.unknown
        }
      var isEmpty = isOne
      if isOne { try scanner.object { _, _ in isEmpty = false } } else { try scanner.skip() }
      return (isOne, isEmpty)
    }
    if isEmpty { throw Self.nothing }
    self.init(document, name, isOne: isOne, isDamaged: false)
  }

  /// The readable part of a document that is damaged or cut off: everything before the damage, also of the damaged workout. The
  /// rest is one damaged record.
  ///
  /// - Throws: `JSONScanError` when not even its first byte is JSON.
  init(damaged document: JSONDocument, as name: String) throws {
    var scanner = JSONScanner(document)
    self.init(document, name, isOne: try scanner.peek() == .object, isDamaged: true)
  }

  private init(_ document: JSONDocument, _ name: String, isOne: Bool, isDamaged: Bool) {
    (self.document, self.name, self.isOne, self.isDamaged) = (document, name, isOne, isDamaged)
    shape = name == "goonlytics-json" ? .firstJSON : .core
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = WorkoutScan(shape: shape, isDamaged: isDamaged)
    try scan.all(of: document, visit) { scan, element in
      try scan.workout(&element, state: { isOne && $0.workout.endedAt == nil ? .active : .finished }, visit)
    }
  }

  // MARK: Recognising

  /// The format's name, from the first object in the document with known keys.
  ///
  /// - Throws: `.invalidSource` with the byte, for a document of another kind.
  static func name(of document: JSONDocument) throws -> String {
    var scanner = JSONScanner(document)
    var look = Look()
    do {
      switch try scanner.peek() {
      case .array: try scanner.array { _, element in try look.read(&element) }
      case .object: try look.read(&scanner)
      default: break
      }
    } catch let found as Look.Found {
      return found.name
    } catch {
      throw StoreError.invalidJSON(error)
    }
    if look.hasOthers { throw unknown }
    // An empty history, or an empty document.
    return "thiccc-json"
  }

  private struct Look {
    /// Ends the reading.
    struct Found: Error { var name: String }

    /// Whether the document has an object with unknown keys.
    var hasOthers = false

    mutating func read(_ element: inout JSONScanner) throws {
      guard try element.peek() == .object else {
        hasOthers = true
        _ = try element.skip()
        return
      }
      var keys: Set<String> = []
      do {
        try element.object { key, _ in keys.insert(key.string) }
      } catch {
        // The keys before the damage decide, too; the reader reports the damage.
        try find(keys)
        throw error
      }
      try find(keys)
      hasOthers = hasOthers || !keys.isEmpty
    }

    private func find(_ keys: Set<String>) throws {
      if keys.contains("start_timestamp") { throw Found(name: "thiccc-json") }
      if keys.contains("startTimestamp") { throw Found(name: "goonlytics-json") }
      if keys.isSuperset(of: ["title", "exercises"]) { throw Found(name: WorkoutTemplateJSON.formatName) }
    }
  }

  private static var unknown: StoreError {
    StoreError(
      .invalidSource, "this JSON is no workout: expected one with \"start_timestamp\", \"startTimestamp\", or \"title\" at byte 0",
      offset: 0)
  }

  /// Whether a document has no record: no text at all, or an object without members. Whitespace is ignored.
  static func holdsNothing(_ document: JSONDocument) -> Bool {
    let text = document.bytes(0..<min(document.count, 4096)).filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    return document.count <= 4096 && (text.isEmpty || text == Array("{}".utf8))
  }

  private static var nothing: StoreError {
    StoreError(
      .invalidSource,
      "this JSON is an empty object, which the app wrote when it could not save a workout: there is nothing of the workout in it",
      offset: 0, suggestion: "Look in workout-backups for another copy of the workout.")
  }
}
