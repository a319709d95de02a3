import ArgumentParser
import Holdfast
import HoldfastTransfer

/// Which lines of a list are wanted, and in which order. By default all, in the list's order.
struct Selection: Sendable {
  var conditions: [Condition] = []
  var order: SortOrder?
  var offset = 0
  var limit: Int?

  /// - Throws: `usage` for a field that the list does not have, with its fields.
  func check(_ list: ListDescription) throws {
    let fields = conditions.map { ("--where", $0.field) } + (order.map { [("--sort", $0.field)] } ?? [])
    guard let (option, field) = fields.first(where: { !list.members.contains($0.1) }) else { return }
    throw Failure(
      code: "usage", "the list \(list.name) has no field \(field)",
      suggestion: "\(option) with one of \(list.members.sorted().joined(separator: ", "))", status: .usage)
  }

  /// Passes the wanted lines one after the other, and keeps none, except for an order: then all lines that the conditions select are kept.
  ///
  /// - Returns: the number of lines that the conditions select, without `offset` and `limit`. Zero without conditions and order, where
  ///   `ListDescription.count(in:)` tells it.
  /// - Throws: `usage`, at the end of the list, for a text that is no number where the field has numbers and no text.
  @discardableResult
  func each(of list: ListDescription, in reader: Reader, _ body: (ListDescription.Line) throws -> Void) throws -> Int {
    guard !conditions.isEmpty || order != nil else {
      try list.each(offset: offset, limit: limit, in: reader, body)
      return 0
    }
    var (count, sorted): (Int, [(key: OrderedValue?, line: ListDescription.Line)]) = (0, [])
    let place = order.flatMap { list.members.firstIndex(of: $0.field) }
    var tests = conditions.map { Test(condition: $0, place: list.members.firstIndex(of: $0.field)) }
    func pass(_ line: ListDescription.Line, at number: Int) throws {
      if number >= offset, limit.map({ number - offset < $0 }) ?? true { try body(line) }
    }
    try list.each(in: reader) { line in
      let values = line.values()
      func json(_ place: Int?) -> JSONValue { place.map { values[$0].json } ?? .null }
      var isWanted = true
      for number in tests.indices where isWanted || !tests[number].condition.suitsNumbers {
        isWanted = tests[number].holds(for: json(tests[number].place)) && isWanted
      }
      guard isWanted else { return }
      if order == nil { try pass(line, at: count) } else { sorted.append((OrderedValue(json(place)), line)) }
      count += 1
    }
    if let wrong = tests.first(where: \.isWrong)?.condition {
      throw Failure(
        code: "usage", "\(wrong.field) has numbers, and \"\(wrong.text)\" is no number",
        suggestion: "--where \"\(wrong.field)\(wrong.sign.rawValue)10\", or 0.5, or 1e3", status: .usage)
    }
    guard let order else { return count }
    for (number, place) in order.places(sorted.map(\.key)).enumerated() { try pass(sorted[place].line, at: number) }
    return count
  }

  private struct Test {
    let condition: Condition
    let place: Int?
    private var hasNumbers = false
    private var hasTexts = false

    init(condition: Condition, place: Int?) { (self.condition, self.place) = (condition, place) }

    /// A column of another program may hold numbers and texts.
    var isWrong: Bool { hasNumbers && !hasTexts && !condition.suitsNumbers }

    mutating func holds(for value: JSONValue) -> Bool {
      switch value {
      case .integer, .double: hasNumbers = true
      case .string: hasTexts = true
      default: break
      }
      return condition.holds(for: value)
    }
  }

  /// The number of lines that the conditions select.
  func total(of list: ListDescription, in reader: Reader) throws -> Int {
    guard !conditions.isEmpty else { return try list.count(in: reader) }
    return try Selection(conditions: conditions).each(of: list, in: reader) { _ in }
  }

  /// The wanted lines as a table for people, which needs all of them at once.
  ///
  /// - Returns: the table, the number of its lines, and `total`.
  func table(of list: ListDescription, in reader: Reader) throws -> (block: ShownBlock, lines: Int, total: Int) {
    var (columns, cells): ([ShownColumn], [[String]]) = ([], [])
    let found = try each(of: list, in: reader) { line in
      if cells.isEmpty { columns = line.columns() }
      cells.append(line.cells())
    }
    return (.table(columns, cells), cells.count, conditions.isEmpty ? try list.count(in: reader) : found)
  }
}

/// The order of a list by one field, as a person types it: `year` or `year:desc`. Unknown values come last in both directions; lines with
/// equal values keep the list's order.
struct SortOrder: Sendable, ExpressibleByArgument {
  let field: String
  let isDescending: Bool

  init?(argument: String) {
    isDescending = argument.hasSuffix(":desc")
    field = isDescending ? String(argument.dropLast(":desc".count)) : argument
    if field.isEmpty { return nil }
  }

  func places(_ values: [OrderedValue?]) -> [Int] {
    values.indices.sorted { one, other in
      switch (values[one], values[other]) {
      case (let first?, let second?):
        if first < second { return !isDescending }
        if second < first { return isDescending }
        return one < other
      case (nil, nil): return one < other
      case (let first, _): return first != nil
      }
    }
  }
}
