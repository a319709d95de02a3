import Foundation
import Holdfast
import HoldfastTransfer

/// The items of an Audiobookshelf server as its API answers: one, or several in the list `results` or `libraryItems`.
struct AudiobookshelfJSON: ImportFormat {
  let name = "audiobookshelf-json"
  let version = 1
  let kinds = LibraryRecord.kinds
  let origin: String? = Audiobookshelf.origin
  let total: Int
  /// At the list, or at the only item.
  private let items: JSONScanner

  private static let lists: Set<String> = ["results", "libraryItems"]
  private static let item: Set<String> = ["mediaType", "media"]

  static func isLike(_ source: SourceLook) -> Bool {
    let list = source.members.first { lists.contains($0.key) }
    return (list?.keys ?? Set(source.members.map(\.key))).isSuperset(of: item)
  }

  /// The same for the beginning of a document.
  static func recognises(_ document: JSONDocument) -> Bool {
    var scanner = JSONScanner(JSONDocument(document.bytes(0..<1_048_576)))
    var (keys, first) = (Set<String>(), Set<String>?.none)
    try? scanner.object { key, value in
      keys.insert(key.string)
      guard lists.contains(key.string), try value.peek() == .array else { return }
      try value.array { index, element in
        guard index == 0, first == nil, try element.peek() == .object else { return }
        first = []
        try element.object { inner, _ in first?.insert(inner.string) }
      }
    }
    return (first ?? keys).isSuperset(of: item)
  }

  /// Reads the whole document once: a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset.
  init(_ document: JSONDocument) throws {
    var (keys, list) = (Set<String>(), JSONScanner?.none)
    try document.whole { scanner in
      try scanner.object { key, value in
        keys.insert(key.string)
        guard Self.lists.contains(key.string), try value.peek() == .array else { return }
        guard list == nil else { throw StoreError.standsTwice(key.string, at: value.offset) }
        list = value
      }
    }
    guard let items = list ?? (keys.isSuperset(of: Self.item) ? JSONScanner(document) : nil) else {
      throw StoreError(
        .invalidSource, "this JSON has no items: expected an answer of an Audiobookshelf server at byte 0", offset: 0)
    }
    (self.items, total) = (items, document.count)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var items = items
    do {
      guard try items.peek() == .array else { return try item(&items, reader, visit) }
      try items.array { _, element in try item(&element, reader, visit) }
    } catch let error as JSONScanError {
      throw StoreError.invalidJSON(error)
    }
  }

  private func item(_ element: inout JSONScanner, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    let start = element
    var value = JSONValue.null
    do {
      value = try element.value()
    } catch {
      // A key that an object in it has twice is an error of this item only. Throws again when the document itself is damaged.
      element = start
      _ = try element.skip()
    }
    guard case .object(let members) = value else {
      let reason = "it should be an object in which no key stands twice"
      return try visit(.damaged(kind: "collections", path: .json(start.location), reason: reason, original: .value(start)), start.offset)
    }
    var progress: ShelfProgress?
    if case .object(let own)? = members["userMediaProgress"] {
      let place = SourcePath.json(start.location, member: ".userMediaProgress")
      progress = ShelfProgress(members: own, place: place, original: .made { JSONValue.object(own).canonicalText() })
    }
    try AudiobookshelfItem(members, progress, at: .json(start.location), .value(start), start.offset).scan(reader, visit)
  }
}
