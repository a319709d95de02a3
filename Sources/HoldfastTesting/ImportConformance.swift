public import Foundation
public import Holdfast
public import HoldfastTransfer

/// Tests one format of an importer against the promises that every import keeps.
///
/// Write once how a few sample records look in the format. Then run each check as one case of one test:
///
/// ```swift
/// @Test("books.json keeps what every import promises", arguments: ImportCheck.allCases)
/// func imports(_ check: ImportCheck) throws {
///   try ImportConformance<ReadingList>("books.json", records: ImportKind("books", title: "title")) { samples, file in
///     let books = samples.map { #"{"id": "\#($0.id)", "title": "\#($0.title)", "added": \#($0.isDamaged ? "5" : now)}"# }
///     try Data(#"{"books": [\#(books.joined(separator: ", "))]}"#.utf8).write(to: file)
///   }.run(check)
/// }
/// ```
///
/// Every check makes its own folder and store, and throws `.verificationFailed` with what differed. What is special to the format, such as
/// the meaning of its fields and the text of its errors, needs tests of its own: see `ImportWorld`.
public struct ImportConformance<Library: Holdfast.Library> {
  typealias World = ImportWorld<Library>

  let file: String
  let records: ImportKind
  let children: ImportKind?
  let without: Set<ImportCheck>
  let importer: (LibraryImport) throws -> ImportReport
  let library: (Store) -> Library
  let write: ([ImportSample], URL) throws -> Void

  /// Describes a format of an importer that needs more than `ImportingLibrary` says.
  ///
  /// - Parameters:
  ///   - file: the name of the source.
  ///   - records: the kind of records that need no other record.
  ///   - children: the kind of records that belong to one of `records`. Their rows must be deleted with it, by a foreign key. Nil: the
  ///     format has none.
  ///   - without: the checks that the format cannot pass by its nature. Say why beside it. A check that needs children, times, or a SQLite
  ///     database passes by itself where there are none.
  ///   - importer: the import under test.
  ///   - library: makes the library, when it needs more than its store.
  ///   - write: writes the samples, in their order, as a complete source at a path without a file. Children come after all records; a
  ///     format of lists within records puts them into each record that has the id of `parent`. Samples may have one id; a format without
  ///     ids writes the second one as it writes a record that it has twice. The source may have more: other kinds of records that belong to
  ///     a sample are then checked with it.
  public init(
    _ file: String, records: ImportKind, children: ImportKind? = nil, without: Set<ImportCheck> = [],
    importer: @escaping (LibraryImport) throws -> ImportReport, library: @escaping (Store) -> Library = { Library($0) },
    write: @escaping ([ImportSample], URL) throws -> Void
  ) {
    (self.file, self.records, self.children, self.without) = (file, records, children, without)
    (self.importer, self.library, self.write) = (importer, library, write)
  }

  /// Runs one check.
  ///
  /// - Throws: `.verificationFailed` with the broken promise; the errors of `write` and of the importer.
  public func run(_ check: ImportCheck) throws {
    guard !without.contains(check) else { return }
    let world = try self.world()
    switch check {
    case .whole: try checkWhole(world)
    case .again: try checkAgain(world)
    case .orphans: try checkOrphans(world)
    case .damaged: try checkDamaged(world)
    case .retried: try checkRetried(world)
    case .twice: try checkTwice(world)
    case .twiceDifferently: try checkTwiceDifferently(world)
    case .idsAsBytes: try checkIDsAsBytes(world)
    case .cancelled: try checkCancelled(world)
    case .cutOff: try checkCutOff(world)
    case .changed: try checkChanged(world)
    case .newer: try checkNewer(world)
    case .edited: try checkEdited(world)
    case .deleted: try checkDeleted(world)
    }
  }

  func world() throws -> World { try World(file, importer: importer, library: library) }
}

extension ImportConformance where Library: ImportingLibrary {
  /// Describes a format of the library's importer; see the form with an `importer`.
  public init(
    _ file: String, records: ImportKind, children: ImportKind? = nil, without: Set<ImportCheck> = [],
    write: @escaping ([ImportSample], URL) throws -> Void
  ) {
    self.init(
      file, records: records, children: children, without: without, importer: Library.importLibrary(_:), library: { Library($0) },
      write: write)
  }
}

/// A kind of record that `ImportConformance` looks at, and where the store has it.
public struct ImportKind: Sendable {
  /// The kind's name in the report.
  public var name: String
  /// The table of its rows.
  public var table: String
  /// The column that has a sample's title, letter by letter.
  public var title: String
  /// The column with the time of a row's last change, in milliseconds since 1970, if the source has that time. Nil: it has none.
  public var modifiedAt: String?

  /// Names a kind. The table is called like the kind, unless `table` says another name.
  public init(_ name: String, table: String? = nil, title: String, modifiedAt: String? = nil) {
    (self.name, self.table, self.title, self.modifiedAt) = (name, table ?? name, title, modifiedAt)
  }
}

/// One record to be written in a format.
public struct ImportSample: Sendable, Equatable {
  /// Two samples with one id are the same record twice. A format with another kind of id derives it from this one.
  public let id: UUID
  /// The id of the record that this one belongs to; nil: it belongs to none, and is one of `ImportConformance`'s `records`.
  public let parent: UUID?
  /// A short text of ASCII letters, digits and spaces.
  public internal(set) var title: String
  /// The time of the last change, at a whole second. Only for a format that has such a time.
  public internal(set) var modifiedAt: Date
  /// Whether the record cannot be imported: write a value that makes no sense into a field that it must have. Its title stays as it is, so
  /// that it is found in the quarantine.
  public internal(set) var isDamaged = false
}

/// The promises that `ImportConformance` checks.
public enum ImportCheck: String, CaseIterable, Sendable {
  /// Every record is imported and counted, and the report has no problems.
  case whole
  /// The same source again adds nothing and changes no row of the store, of the ledger and of the quarantine.
  case again
  /// A child whose parent is nowhere goes into quarantine with its bytes, and the others come in. A format of lists within records has no
  /// such children.
  case orphans
  /// A record that cannot be imported goes into quarantine with its bytes, and so do the children that belong to it. The others come in, and
  /// the same source again keeps nothing twice.
  case damaged
  /// When the damaged records are mended and tried again, they come in with their children, and leave the quarantine.
  case retried
  /// A record that stands twice with equal content is one record, and no problem.
  case twice
  /// Of two records with one id and different content the first comes in, and the second goes into quarantine with its bytes.
  case twiceDifferently
  /// A SQLite database with its ids as 16 bytes, as GRDB stores a UUID, gives the same rows as one with its ids in text.
  case idsAsBytes
  /// Cancelled before any of its records, at both readings of the source, and before its commit, an import throws `.cancelled`. The folder
  /// and an existing store are as before.
  case cancelled
  /// A source that is cut off, at 15 places, is refused with `.invalidSource`, and, unless it is a database, with an offset in what is left
  /// or with `at line` and its number. The folder and the store are as before. A format of lines cannot tell that its end is missing.
  case cutOff
  /// A record that changed in the source, and not in the store, comes in with its change, whatever its time says.
  case changed
  /// If a record changed in both, the source's newer change wins, for its children, too. Only with times.
  case newer
  /// If a record changed in both, the store's newer change stays. If the source has no times, every change of the store stays.
  case edited
  /// A record that was deleted in the store does not come back, and neither do the children that were deleted with it.
  case deleted
}
