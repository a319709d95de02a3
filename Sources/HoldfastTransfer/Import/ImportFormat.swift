public import Foundation
public import Holdfast

/// One field of a record in the source's own form: a date and an id keep the text that the source has for them.
public struct SourceField: Sendable, Equatable {
  /// The source's name for the field.
  public let name: String
  /// The value, in the source's own form.
  public let value: JSONValue
  /// Whether the field is the record's place among its kind. It is verified, but records that differ only in it are repetitions.
  public let isPlace: Bool

  /// Makes a field.
  @inlinable
  public init(_ name: String, _ value: JSONValue, isPlace: Bool = false) {
    self.name = name
    self.value = value
    self.isPlace = isPlace
  }
}

/// One record of a source: its fields in the source's own form, and its content for the library.
public struct SourceRecord<Content: Sendable>: Sendable {
  /// The kind of record, a row of the report, for example `tracks`.
  public var kind: String
  /// The stored row's key as text. The same key means the same row, now and in a later import.
  public var key: String
  /// The record that this one is a part of: its row must be written first, and where neither has a time of its own, the newer source counts for
  /// both.
  public var parent: Parent?
  /// Other records whose rows must be written first. Where one of them goes into quarantine, this one does, too.
  public var references: [Parent]
  /// The record's place in the source, for people.
  public var path: SourcePath
  /// The fields that verification compares, in the order of the format's `readBack`.
  public var fields: [SourceField]
  /// The source's time of the last change, in milliseconds since 1970; nil when unknown: then the parent's time decides.
  public var modifiedAt: Int64?
  /// The record's content, converted for `write`.
  public var content: Content
  /// The record's bytes in the source, for the quarantine.
  public var original: SourceBytes
  /// A note for the report when the record is written, such as an unused part. The report counts equal notes. Default nil.
  public var note: String?

  /// The record to which another record belongs.
  public struct Parent: Sendable, Hashable {
    /// The parent's kind.
    public var kind: String
    /// The parent's key, as the source has it.
    public var key: String

    /// Names a parent. A scan must visit it before its children.
    public init(kind: String, key: String) {
      self.kind = kind
      self.key = key
    }
  }

  /// Makes a record.
  public init(
    kind: String, key: String, parent: Parent? = nil, references: [Parent] = [], path: SourcePath, fields: [SourceField],
    modifiedAt: Int64? = nil, content: Content, original: SourceBytes, note: String? = nil
  ) {
    self.kind = kind
    self.key = key
    self.parent = parent
    self.references = references
    self.path = path
    self.fields = fields
    self.modifiedAt = modifiedAt
    self.content = content
    self.original = original
    self.note = note
  }
}

/// A place in a source. Its text is made only on request.
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

/// The bytes of a record in the source, for the quarantine.
public enum SourceBytes: Sendable {
  /// The value at a scanner.
  case value(JSONScanner)
  /// A row of a database, as a JSON object.
  case row(SQLiteRow)
  case bytes([UInt8])
  /// A text that is made only when the record goes into quarantine.
  case made(@Sendable () -> String)

  /// The bytes; empty when they can no longer be read.
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
}

/// One result of a scan.
public enum Scanned<Content: Sendable>: Sendable {
  case record(SourceRecord<Content>)
  /// A record that cannot be imported, with the reason; with the key, where that can be read, its children go into quarantine, too.
  case damaged(kind: String, key: String? = nil, path: SourcePath, reason: String, original: SourceBytes)
  /// A record that needs no import, with the reason.
  case skipped(kind: String, path: SourcePath, reason: String)
  /// One field that is left out of an imported record. Not counted as a record.
  case damagedField(kind: String, field: String, path: SourcePath, reason: String, original: SourceBytes)
  /// A remark about data that is imported, such as an assumed unit. Neither a record nor a problem. The report counts equal remarks, and
  /// names the place of the first.
  case note(String, path: SourcePath)
}

/// The stored row with a record's key, in the source's own form.
public struct StoredShape: Sendable {
  /// The fields, in the order of the source's record.
  public var fields: [SourceField]
  /// The time of the stored row's last change, in milliseconds since 1970; nil when the library does not know it.
  public var modifiedAt: Int64?

  /// Makes the stored form of a record.
  public init(fields: [SourceField], modifiedAt: Int64? = nil) {
    self.fields = fields
    self.modifiedAt = modifiedAt
  }
}

/// How the records of one format are imported into a library. The kit does the rest: deciding, counting, quarantine, ledger, backup,
/// verification and report.
public protocol ImportFormat {
  associatedtype Content: Sendable
  /// The format's name in the report and the ledger, for example `library-json`.
  var name: String { get }
  var version: Int { get }
  /// The kinds of records in the order of the report, each with its table.
  var kinds: [(name: String, table: String)] { get }
  /// The size of the source for progress, in the unit of `visit`'s position.
  var total: Int { get }
  /// The identity of the source, whatever its file is called; nil: the path of the file. A later edition of a source updates rows that have
  /// not changed since an earlier edition. A source with another identity never does. Default nil.
  var origin: String? { get }
  /// The reason for keeping no copy of the source, for the report: `it contains the API key`. Nil: a copy is kept. Default nil.
  var noCopy: String? { get }
  /// Whether the copy goes into the store's folder, because the source's folder belongs to more than the source, for example to a model.
  /// Default false.
  var copiesBesideStore: Bool { get }

  /// The time zone in which the source's local times are read, for the report; nil where it has none. Default nil.
  var timeZone: TimeZone? { get }

  /// The format as it goes into this store, for example with the time zone of an earlier import; see `Reader.timeZone(ofImports:)`. Called
  /// before the first `scan`. Default: unchanged.
  func settled(in reader: Reader) throws -> Self

  /// Reads the source from its start, and passes each record and the present position to `visit`. Runs twice, and must give the same
  /// records both times. Parents come before their children.
  ///
  /// - Throws: `.invalidSource` with an offset when the source is damaged; the errors of `visit`.
  func scan(_ reader: Reader, _ visit: (Scanned<Content>, _ position: Int) throws -> Void) throws

  /// Inserts or updates the one row of this record. A `.constraint` or `.invalidValue` error sends the record into quarantine.
  func write(_ record: SourceRecord<Content>, in transaction: Writer) throws

  /// The names of indexes that no statement of this import reads. A large import into tables without rows makes them after all rows, which is
  /// faster. Unique ones, and those of tables with rows, stay. Default: none.
  var laterIndexes: [String] { get }

  /// The stored row of this record, in the source's own form; nil when there is no such row.
  func readBack(_ record: SourceRecord<Content>, in reader: Reader) throws -> StoredShape?
}

extension ImportFormat {
  /// Nil: the source is the file at its path.
  public var origin: String? { nil }
  /// Nil: a copy of the source is kept.
  public var noCopy: String? { nil }
  /// False: the copy goes beside the source.
  public var copiesBesideStore: Bool { false }
  /// Nil: the source has no local times.
  public var timeZone: TimeZone? { nil }
  /// None.
  public var laterIndexes: [String] { [] }
  /// Unchanged.
  public func settled(in reader: Reader) throws -> Self { self }
}
