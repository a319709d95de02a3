import Foundation
import Holdfast
import HoldfastTesting

extension Shelves {
  /// The file of a closed store of version 1 with one shelf and three books.
  fileprivate static let shipped = Result { () throws -> Data in
    let folder = try TemporaryFolder()
    let store = try folder.store([schema])
    try store.fill()
    try store.close()
    return try Data(contentsOf: folder.file("store.sqlite"))
  }

  /// The second version, which this migration makes.
  static func next(_ sql: String, name: String = "shelves/002") -> StoreSchema {
    StoreSchema("shelves", migrations: [v1, Migration(name, sql: sql)])
  }
}

extension TemporaryFolder {
  /// Writes `store.sqlite`: a closed store of version 1 with one shelf and three books.
  @discardableResult
  func shipShelves() throws -> URL {
    let url = file("store.sqlite")
    try Shelves.shipped.get().write(to: url)
    return url
  }
}
