import Foundation

/// The place of a row in a list: the row's values in the columns of the order, an id last. A key stays valid when rows are added or
/// removed, even when its own row is removed.
///
/// Apps treat a key as opaque. They may keep it, as JSON too, and pass it back to the same list. `Reader.page` makes the key of its last
/// row, puts the list's name before the values, and checks that name. Code that pages by hand writes:
///
/// ```swift
/// let rest: BoundSQL = if let key { "WHERE (sort_title, title, id) > \(sql: try key.row(.text, .text, .text))" } else { "" }
/// let next = PageKey(.text(last.sortTitle), .text(last.title), .id(last.id))
/// ```
public struct PageKey: Sendable, Hashable {
  /// The values, in the order of the list's columns.
  public let parts: [SQLValue]

  /// The type of one column of a list's order.
  public enum Part: Sendable {
    /// INTEGER or REAL.
    case number
    /// TEXT, also for ids.
    case text
  }

  /// Makes the key of the row with these values.
  public init(_ parts: SQLValue...) { self.parts = parts }
  package init(_ parts: [SQLValue]) { self.parts = parts }

  /// The parts as a row value, to be compared with the columns of the order.
  ///
  /// A column that may be NULL must be compared by its `parts`: a comparison with NULL is unknown and selects no row.
  /// - Throws: `.misuse` when the key has other parts than `kinds`, because it is a key of another list.
  public func row(_ kinds: Part...) throws -> BoundSQL { try row(kinds) }
  func row(_ kinds: [Part]) throws -> BoundSQL {
    guard parts.count == kinds.count, zip(parts, kinds).allSatisfy({ Self.is($0, $1) }) else { throw Self.foreign }
    return "(\(sql: .joined(parts.map { part -> BoundSQL in "\(part)" }, separator: ", ")))"
  }

  static var foreign: StoreError {
    StoreError(.misuse, "this page key belongs to another list", suggestion: "Pass the `next` of a page of the same list.")
  }

  private static func `is`(_ part: SQLValue, _ kind: Part) -> Bool {
    switch (part, kind) {
    case (.integer, .number), (.text, .text): true
    case (.real(let value), .number): !value.isNaN
    default: false
    }
  }
}

/// Coded as an array of strings, each a letter for the type and the value, so numbers keep their types.
extension PageKey: Codable {
  public func encode(to encoder: any Encoder) throws { try texts.encode(to: encoder) }

  var texts: [String] {
    parts.map { part in
      switch part {
      case .null: "n"
      case .integer(let value): "i\(value)"
      case .real(let value): "r\(value)"
      case .text(let value): "t\(value)"
      case .blob(let value): "b\(value.base64EncodedString())"
      }
    }
  }

  /// - Throws: `DecodingError` for anything that is not an encoded key.
  public init(from decoder: any Decoder) throws {
    parts = try [String](from: decoder).map { text in
      let rest = String(text.dropFirst())
      let part: SQLValue? =
        switch text.first {
        case "n" where rest.isEmpty: .null
        case "i": Int64(rest).map(SQLValue.integer)
        case "r": Double(rest).map(SQLValue.real)
        case "t": .text(rest)
        case "b": Data(base64Encoded: rest).map(SQLValue.blob)
        default: nil
        }
      if let part { return part }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "this is not a page key"))
    }
  }
}
