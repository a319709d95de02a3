public import Foundation

/// One domain's data in a store: a schema, records, and verbs that read and write them.
///
/// A conforming type is a value around its store: copy it freely, use it from any thread. Say its schema and keep its store; opening comes
/// with the protocol. `Documentation/WritingALibrary.md` writes one, and `LibraryConformance` in `HoldfastTesting` tests it.
public protocol Library: Sendable {
  /// The library's tables.
  static var schema: StoreSchema { get }
  /// The file, or the memory, that holds the library; other tables may share it.
  var store: Store { get }
  /// A library in a store that was opened with `schema`.
  init(_ store: Store)
}

extension Library {
  /// Opens the library at `url`. Makes or migrates the file where needed.
  ///
  /// - Throws: what `Store.open(at:schemas:options:)` throws.
  public static func open(at url: URL, options: StoreOptions = .production) throws -> Self {
    Self(try Store.open(at: url, schemas: [schema], options: options))
  }

  /// Opens the library in the program's own place, `Store.defaultURL(named:)` of the schema's name. Makes or migrates the file where needed.
  ///
  /// - Throws: what `open(at:options:)` and `Store.defaultURL(named:)` throw.
  public static func open(options: StoreOptions = .production) throws -> Self {
    try open(at: Store.defaultURL(named: schema.name), options: options)
  }

  /// A library in memory, for previews and tests. It is gone when the last copy of the value is released.
  ///
  /// - Throws: what `Store.inMemory(schemas:options:)` throws.
  public static func inMemory(options: StoreOptions = .testing) throws -> Self {
    Self(try Store.inMemory(schemas: [schema], options: options))
  }
}
