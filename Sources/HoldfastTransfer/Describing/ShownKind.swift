public import Foundation
public import Holdfast

/// A kind of thing that a library shows, and how to find one by the words of a person.
public struct ShownKind: Sendable {
  /// The word for it, as a person writes it: `album`.
  public let name: String
  /// Whether a name finds it only when no other kind has something with that name.
  public let yields: Bool
  /// Finds the things with an id or a name.
  public let find: @Sendable (Wanted, Reader) throws -> [Found]

  /// What a person gave to find a thing.
  public enum Wanted: Sendable {
    /// A whole id.
    case id(String)
    /// A name, in any case, with or without accents.
    case name(String)
    /// The beginning of an id, as typed; where nothing begins so, once more in lower case. A few letters are enough.
    case beginning(String)

    /// Whether this finds something that is in no table, and whose id is made from its name.
    public func means(_ id: UUID, _ name: String) -> Bool {
      switch self {
      case .id(let text): IDCodec.parse(text) == id
      case .name(let text): SortText.folded(name) == SortText.folded(text)
      case .beginning(let text): IDCodec.lowercase(id).hasPrefix(text)
      }
    }
  }

  /// A thing that was found.
  public struct Found: Sendable {
    /// Its id, which finds only this thing.
    public var id: String
    /// Its name.
    public var name: String
    /// Its name with what distinguishes it from others of that name.
    public var label: String
    /// Reads the thing; nil when it is gone.
    public var show: @Sendable (Reader) throws -> Shown?

    /// Makes a result. Default label: the name.
    public init(_ id: String, _ name: String, label: String? = nil, show: @escaping @Sendable (Reader) throws -> Shown?) {
      (self.id, self.name, self.label, self.show) = (id, name, label ?? name, show)
    }
  }

  /// Makes a kind with its own way to find things.
  public init(_ name: String, yields: Bool = false, find: @escaping @Sendable (Wanted, Reader) throws -> [Found]) {
    (self.name, self.yields, self.find) = (name, yields, find)
  }

  /// Makes a kind whose things are rows with a UUID as their id.
  ///
  /// - Parameters:
  ///   - columns: in SQL, the id, the name, and then the columns that `label` reads.
  ///   - folded: the column with the name without case and accents; nil: all names are read.
  ///   - label: distinguishes things of one name; it gets the name, and the row after the name.
  ///   - show: reads a thing; nil when it is gone.
  public init(
    _ name: String, _ columns: String, from table: String, where condition: String = "true", folded: String? = nil, order: String = "id",
    yields: Bool = false, label: @escaping @Sendable (String, inout StoredRow) throws -> String = { name, _ in name },
    show: @escaping @Sendable (UUID, Reader) throws -> Shown?
  ) {
    self.init(name, yields: yields) { wanted, reader in
      var more: BoundSQL = "true"
      switch wanted {
      case .id(let text):
        guard let id = IDCodec.parse(text) else { return [] }
        more = "id = \(id)"
      case .beginning(let text): more = Self.begins("id", text)
      case .name(let text): if let folded { more = "\(raw: folded) = \(SortText.folded(text))" }
      }
      var found: [Found] = []
      try reader.rows(
        "SELECT \(raw: columns) FROM \(raw: table) WHERE \(raw: condition) AND \(sql: more) ORDER BY \(raw: order)", of: table
      ) { row in
        let (id, name) = (try row.id(), try row.text())
        if case .beginning = wanted, found.count > 5 { return }
        if case .name = wanted, folded == nil, !wanted.means(id, name) { return }
        found.append(Found(IDCodec.lowercase(id), name, label: try label(name, &row)) { try show(id, $0) })
      }
      return found
    }
  }

  /// Whether a column's text begins so. No text with this beginning is behind the last of all characters.
  static func begins(_ column: BoundSQL, _ text: String) -> BoundSQL {
    "\(sql: column) >= \(text) AND \(sql: column) < \(text + "\u{10FFFF}")"
  }
}
