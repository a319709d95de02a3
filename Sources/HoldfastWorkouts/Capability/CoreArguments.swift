import Foundation
import Holdfast
import HoldfastTransfer

/// The members of an object that says what an operation needs. What says more than one thing about itself is read by its keys.
struct CoreArguments {
  private let path: String
  private let start: Int
  private var members: [String: JSONScanner] = [:]

  /// Null is an object without members.
  fileprivate init(_ scanner: inout JSONScanner) throws {
    path = "\(scanner.path)"
    start = scanner.offset
    if try scanner.null() { return }
    try scanner.object { key, value in
      guard members.updateValue(value, forKey: key.string) == nil else { throw failure("\(key) stands twice") }
      _ = try value.skip()
    }
  }

  /// What the member with this key is; it must be there.
  mutating func needed<T>(_ key: String, _ read: (inout JSONScanner) throws -> T) throws -> T {
    guard var value = members.removeValue(forKey: key) else { throw failure("\(key) is missing") }
    return try read(&value)
  }

  /// What the member with this key is; nil when it is not there, or null.
  mutating func given<T>(_ key: String, _ read: (inout JSONScanner) throws -> T) throws -> T? {
    guard var value = members.removeValue(forKey: key), try !value.null() else { return nil }
    return try read(&value)
  }

  mutating func id(_ key: String) throws -> UUID { try needed(key) { try $0.id() } }
  mutating func id(orNil key: String) throws -> UUID? { try given(key) { try $0.id() } }
  mutating func text(_ key: String) throws -> String { try needed(key) { try $0.string() } }
  mutating func text(orNil key: String) throws -> String? { try given(key) { try $0.string() } }
  mutating func limit() throws -> Int? { try given("limit") { try $0.int() } }
  mutating func idleLimit() throws -> Int { try given("idle_limit") { try $0.int() } ?? 900 }
  mutating func pageKey() throws -> PageKey? { try given("after") { try $0.pageKey() } }
  mutating func unit() throws -> WeightUnit { try text(orNil: "unit").map(WeightUnit.init(rawValue:)) ?? .pounds }

  mutating func formula() throws -> OneRepMax {
    guard let name = try text(orNil: "formula") else { return .epley }
    guard let formula = OneRepMax(rawValue: name) else { throw failure("there is no formula \(name.prefix(60))") }
    return formula
  }

  mutating func date(orNil key: String) throws -> Date? {
    guard let text = try text(orNil: key) else { return nil }
    guard let date = Written(date: text)?.value else { throw failure("\(key) is not a date: \(text.prefix(60))") }
    return date
  }

  mutating func timeZone() throws -> TimeZone? {
    guard let name = try text(orNil: "time_zone") else { return nil }
    guard let zone = TimeZone(identifier: name) else { throw failure("there is no time zone \(name.prefix(60))") }
    return zone
  }

  /// From one date until before another; one that is not there is as far away as dates go.
  mutating func period() throws -> Range<Date>? {
    let (from, to) = (try date(orNil: "from"), try date(orNil: "to"))
    if from == nil, to == nil { return nil }
    let (start, end) = (from ?? .distantPast, to ?? .behindAll)
    guard start <= end else { throw failure("from is later than to") }
    return start..<end
  }

  /// A member that nobody asked for would be lost.
  fileprivate func finish() throws {
    if let key = members.keys.min() { throw failure("there is no such key as \(key.prefix(60))") }
  }

  private func failure(_ problem: String) -> StoreError {
    var error = StoreError(.invalidSource, "the object at \(path) cannot be read: \(problem)")
    error.offset = start
    return error
  }
}

extension Date {
  /// The end of a period that has none: `distantFuture` is long before the last time that can be stored.
  static let behindAll = Date(timeIntervalSince1970: Double(DateCodec.range.upperBound + 1) / 1000)
}

extension JSONScanner {
  /// Reads an object that has what `read` asks for, and nothing else.
  ///
  /// - Throws: `.invalidSource` that names the object by its path; what `read` throws.
  mutating func arguments(_ read: (inout CoreArguments) throws -> WorkoutOperation) throws -> WorkoutOperation {
    var arguments = try CoreArguments(&self)
    let operation = try read(&arguments)
    try arguments.finish()
    return operation
  }

  /// - Throws: `.invalidSource` for what no page gave.
  mutating func pageKey() throws -> PageKey { try coded(PageKey.self) }
}
