import Foundation
import Holdfast
import HoldfastTransfer

/// The members of one object from the core, taken by key.
struct CoreFields {
  private let path: String
  private let start: Int
  private var members: [String: JSONScanner] = [:]

  /// - Parameter orNull: whether null counts as an object without members.
  init(_ scanner: inout JSONScanner, orNull: Bool = false) throws {
    path = "\(scanner.path)"
    start = scanner.offset
    if orNull, try scanner.null() { return }
    try scanner.object { key, value in
      // Either of two values could be the right one.
      guard members.updateValue(value, forKey: key.string) == nil else { throw failure("\(key) appears twice") }
      _ = try value.skip()
    }
  }

  /// Whether the object has a member that was not taken yet.
  func has(_ key: String) -> Bool { members[key] != nil }

  /// Takes a member without reading it.
  mutating func ignore(_ key: String) { members[key] = nil }

  /// The value of a required member.
  mutating func needed<Value: CoreValue>(_ key: String) throws -> Value {
    guard var value = members.removeValue(forKey: key) else { throw failure("\(key) is missing") }
    return try Value(core: &value)
  }

  /// The value of an optional member; nil when it is absent or null.
  mutating func given<Value: CoreValue>(_ key: String) throws -> Value? {
    guard var value = members.removeValue(forKey: key) else { return nil }
    return try Value?(core: &value)
  }

  mutating func limit() throws -> Int? { try given("limit") }
  mutating func idleLimit() throws -> Int { try given("idle_limit") ?? 900 }
  mutating func pageKey() throws -> PageKey? { try given("after") }
  mutating func unit() throws -> WeightUnit { try given("unit") ?? .pounds }

  mutating func formula() throws -> OneRepMax {
    guard let name: String = try given("formula") else { return .epley }
    guard let formula = OneRepMax(rawValue: name) else { throw failure("there is no formula \(name.prefix(60))") }
    return formula
  }

  mutating func timeZone() throws -> TimeZone? {
    guard let name: String = try given("time_zone") else { return nil }
    guard let zone = TimeZone(identifier: name) else { throw failure("there is no time zone \(name.prefix(60))") }
    return zone
  }

  /// From one date until before another. A missing date means no limit on that side.
  mutating func period() throws -> Range<Date>? {
    let (from, to): (Date?, Date?) = (try given("from"), try given("to"))
    if from == nil, to == nil { return nil }
    let (start, end) = (from ?? .distantPast, to ?? .behindAll)
    guard start <= end else { throw failure("from is later than to") }
    return start..<end
  }

  /// Refuses a member that was not taken: its value would be lost.
  func finish() throws {
    if let key = members.keys.min() { throw failure("there is no such key as \(key.prefix(60))") }
  }

  private func failure(_ problem: String) -> StoreError {
    StoreError(.invalidSource, "the object at \(path) cannot be read: \(problem)", offset: start)
  }
}

extension Date {
  /// The end of a period without an end. Not `distantFuture`, which is long before the last date that can be stored.
  static let behindAll = Date(timeIntervalSince1970: Double(DateCodec.range.upperBound + 1) / 1000)
}

extension JSONScanner {
  /// Reads an object that has exactly the members that `read` takes.
  ///
  /// - Throws: `.invalidSource`, which names the object by its path; what `read` throws.
  mutating func arguments(_ read: (inout CoreFields) throws -> WorkoutOperation) throws -> WorkoutOperation {
    var arguments = try CoreFields(&self, orNull: true)
    let operation = try read(&arguments)
    try arguments.finish()
    return operation
  }
}
