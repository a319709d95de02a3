public import Foundation
public import Holdfast

/// A kind of thing that a library shows, and how one of it is found by what a person calls it.
public struct ShownKind: Sendable {
  /// As a person calls it: `album`.
  public let name: String
  /// Found by its name only where no other kind has something of that name.
  public let yields: Bool
  /// Finds it.
  public let find: @Sendable (Wanted, Reader) throws -> [Found]

  /// By what something is looked for.
  public enum Wanted: Sendable {
    /// Its whole id.
    case id(String)
    /// Its name, in any case, with or without accents.
    case name(String)
    /// The beginning of its id, in lower case; a few are enough.
    case beginning(String)

    /// Whether an id that is made of something, and is in no table, is meant.
    public func means(_ id: UUID, _ name: String) -> Bool {
      switch self {
      case .id(let text): IDCodec.parse(text) == id
      case .name(let text): SortText.folded(name) == SortText.folded(text)
      case .beginning(let text): IDCodec.lowercase(id).hasPrefix(text)
      }
    }
  }

  /// Something that was found.
  public struct Found: Sendable {
    /// Its id, which finds it alone.
    public var id: String
    /// Its name.
    public var name: String
    /// What tells it from others of its name, with the name.
    public var label: String
    /// Reads it.
    public var show: @Sendable (Reader) throws -> Shown?

    /// One of a kind. Without a label its name is.
    public init(_ id: String, _ name: String, label: String? = nil, show: @escaping @Sendable (Reader) throws -> Shown?) {
      (self.id, self.name, self.label, self.show) = (id, name, label ?? name, show)
    }
  }

  /// A kind with its own way to be found.
  public init(_ name: String, yields: Bool = false, find: @escaping @Sendable (Wanted, Reader) throws -> [Found]) {
    (self.name, self.yields, self.find) = (name, yields, find)
  }

  /// A kind whose things are rows with a UUID as their id.
  ///
  /// - Parameters:
  ///   - columns: the id, the name, and what `label` reads, as in SQL.
  ///   - folded: the column that has the name without case and accents; nil: every name is read.
  ///   - label: tells one from others of its name; it gets the name and the row behind it.
  ///   - show: nil when it is gone.
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
      case .beginning(let text): more = "id >= \(text) AND id < \(text + "g")"
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
}
