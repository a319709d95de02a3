public import Foundation
public import Holdfast

/// One field of a record as its source writes it: the same text for the same date, the same case for the same id.
public struct SourceField: Sendable, Equatable {
  /// As the source calls it.
  public let name: String
  /// In the source's own form.
  public let value: JSONValue
  /// Where the record stands among its kind. Verified like the rest, but two records that differ only in it are repetitions.
  public let isPlace: Bool

  /// One field of a record.
  @inlinable
  public init(_ name: String, _ value: JSONValue, isPlace: Bool = false) {
    self.name = name
    self.value = value
    self.isPlace = isPlace
  }
}

/// One record of a source: what it says in its own shape, and what that means to the library.
public struct SourceRecord<Content: Sendable>: Sendable {
  /// A row of the report, for example `tracks`.
  public var kind: String
  /// The stored row's key as text: the same key means the same row, now and in a later import.
  public var key: String
  /// The record whose row must be there first.
  public var parent: Parent?
  /// Where it stands in the source, for people.
  public var path: SourcePath
  /// What verification compares, in the order of the format's `readBack`.
  public var fields: [SourceField]
  /// When the source changed it last, in milliseconds since 1970; nil when the source does not say: then its parent's decides.
  public var modifiedAt: Int64?
  /// The record converted, for `write`.
  public var content: Content
  /// The record as it stands in the source, for the quarantine.
  public var original: SourceBytes
  /// What the report says of it when it is written, such as what it is not used for; how many have the same note is counted. Default nil.
  public var note: String?

  /// The record that another one belongs to.
  public struct Parent: Sendable, Hashable {
    /// Its kind.
    public var kind: String
    /// Its key, as the source has it.
    public var key: String

    /// Names the parent, which comes before its children in a scan.
    public init(kind: String, key: String) {
      self.kind = kind
      self.key = key
    }
  }

  /// One record as it was scanned.
  public init(
    kind: String, key: String, parent: Parent? = nil, path: SourcePath, fields: [SourceField], modifiedAt: Int64? = nil, content: Content,
    original: SourceBytes, note: String? = nil
  ) {
    self.kind = kind
    self.key = key
    self.parent = parent
    self.path = path
    self.fields = fields
    self.modifiedAt = modifiedAt
    self.content = content
    self.original = original
    self.note = note
  }
}

/// Where something stands in a source. Its text is made only when somebody reads it.
public enum SourcePath: Sendable, CustomStringConvertible {
  case json(JSONPath, member: String = "")
  case text(String)

  public var description: String {
    switch self {
    case .json(let path, let member): path.description + member
    case .text(let text): text
    }
  }
}

/// The bytes of a record as they stand in the source, for the quarantine.
public enum SourceBytes: Sendable {
  /// The value at a scanner.
  case value(JSONScanner)
  /// A row of a database, as a JSON object.
  case row(SQLiteRow)
  case bytes([UInt8])
  /// Made only when the record goes into the quarantine.
  case made(@Sendable () -> String)

  /// The bytes. None where they can no longer be read.
  public var data: Data {
    switch self {
    case .value(var scanner):
      guard let range = try? scanner.skip() else { return Data() }
      return Data(scanner.document.bytes(range))
    case .row(let row): return Data(row.json.canonicalText().utf8)
    case .bytes(let bytes): return Data(bytes)
    case .made(let make): return Data(make().utf8)
    }
  }

  /// A member of the object at a scanner, as it stands in the source; nil of anything else.
  func text(of member: String) -> String? {
    guard case .value(var scanner) = self else { return nil }
    var found: SourceBytes?
    try? scanner.object { key, value in if key.string == member { found = .value(value) } }
    return found.map { String(decoding: $0.data, as: UTF8.self) }
  }
}

/// What a scan comes across.
public enum Scanned<Content: Sendable>: Sendable {
  case record(SourceRecord<Content>)
  /// A record that cannot be imported, with the reason.
  case damaged(kind: String, path: SourcePath, reason: String, original: SourceBytes)
  /// A record that is there and means nothing, with the reason.
  case skipped(kind: String, path: SourcePath, reason: String)
  /// One field of a record that is imported without it. Not counted as a record.
  case damagedField(kind: String, field: String, path: SourcePath, reason: String, original: SourceBytes)
}

/// What the store holds under a record's key, in the source's own shape.
public struct StoredShape: Sendable {
  /// In the same order as the source's record has them.
  public var fields: [SourceField]
  /// When the stored row changed last, if the library knows.
  public var modifiedAt: Int64?

  /// What the store holds, in the source's form.
  public init(fields: [SourceField], modifiedAt: Int64? = nil) {
    self.fields = fields
    self.modifiedAt = modifiedAt
  }
}

/// How one format's records come into a library. The kit does the rest: deciding, counting, quarantine, ledger, backup,
/// verification and the report.
public protocol ImportFormat {
  associatedtype Content: Sendable
  /// For example `library-json`. Stands in the report and the ledger.
  var name: String { get }
  var version: Int { get }
  /// The rows of the report in their order, each with the table that holds such records.
  var kinds: [(name: String, table: String)] { get }
  /// The size of the source in the unit of `visit`'s position, for progress.
  var total: Int { get }
  /// What the source is an edition of, whatever its file is called; nil: it is the file at its path. A later edition updates
  /// what nobody changed since an earlier one; another source never does. Default nil.
  var origin: String? { get }
  /// Why no copy of the source is kept, for the report: `the key of the API stands in it`. Nil: one is. Default nil.
  var noCopy: String? { get }

  /// Streams the source from its start; `visit` is told how far it is. Runs twice, and must give the same both times.
  /// Parents come before their children.
  ///
  /// - Throws: `.invalidSource` with an offset when the source stops making sense; what `visit` throws.
  func scan(_ reader: Reader, _ visit: (Scanned<Content>, _ position: Int) throws -> Void) throws

  /// Inserts or updates the one row of this record. A `.constraint` or `.invalidValue` error quarantines the record.
  func write(_ record: SourceRecord<Content>, in transaction: Writer) throws

  /// The stored row of this record, in the source's own shape; nil when there is none.
  func readBack(_ record: SourceRecord<Content>, in reader: Reader) throws -> StoredShape?
}

extension ImportFormat {
  /// The file itself.
  public var origin: String? { nil }
  /// A copy is kept.
  public var noCopy: String? { nil }
}
