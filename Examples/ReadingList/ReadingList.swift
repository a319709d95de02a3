// snippet: own-library
public import Foundation
public import Holdfast

/// The books that somebody has read, or wants to.
public struct ReadingList: Sendable {
  /// The file, or the memory, that holds the list; other tables may share it.
  public let store: Store

  /// A list in a store that was opened with `ReadingList.schema`.
  public init(_ store: Store) { self.store = store }

  /// Opens the list at `url`, making or migrating the file where needed.
  public static func open(at url: URL, options: StoreOptions = .production) throws -> ReadingList {
    ReadingList(try Store.open(at: url, schemas: [schema], options: options))
  }

  /// A list in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> ReadingList {
    ReadingList(try Store.inMemory(schemas: [schema], options: options))
  }
}
// end
