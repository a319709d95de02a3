import Foundation
package import Holdfast

/// One list of a library, in pages. Texts stand for its items.
package struct PagedList<Library>: Sendable {
  package let name: String
  package let page: @Sendable (Library, PageKey?, Int) async throws -> (items: [String], next: PageKey?)

  /// A list of items with an id, which stands for the item.
  package init<Item: Identifiable>(_ name: String, _ page: @escaping @Sendable (Library, PageKey?, Int) async throws -> Page<Item>) {
    self.init(name, text: { "\($0.id)" }, page)
  }

  /// A list of items without an id.
  package init<Item>(ofValues name: String, _ page: @escaping @Sendable (Library, PageKey?, Int) async throws -> Page<Item>) {
    self.init(name, text: { "\($0)" }, page)
  }

  private init<Item>(
    _ name: String, text: @escaping @Sendable (Item) -> String,
    _ page: @escaping @Sendable (Library, PageKey?, Int) async throws -> Page<Item>
  ) {
    self.name = name
    self.page = { library, key, limit in
      let page = try await page(library, key, limit)
      return (page.items.map(text), page.next)
    }
  }

  /// The whole list, in pages of `limit` items. `between` runs before each page but the first.
  package func items(of library: Library, limit: Int, between: () async throws -> Void = {}) async throws -> [String] {
    var (found, key) = try await page(library, nil, limit)
    while let last = key, found.count < 10_000 {
      try await between()
      let next = try await page(library, last, limit)
      found += next.items
      key = next.next
    }
    return found
  }

  /// Checks that pages of every size put together are the whole list, and that a limit below one counts as one.
  ///
  /// - Throws: `.verificationFailed`, also for a list with fewer than `count` items.
  package func checkSizes(in library: Library, atLeast count: Int = 1) async throws {
    let whole = try await page(library, nil, 10_000)
    try expect(whole.next == nil && whole.items.count >= count, "has no end, or too few items: \(whole.items.count)")
    try expect(Set(whole.items).count == whole.items.count, "has an item twice")
    for limit in [1, 2, 3, 7, 50, whole.items.count] {
      try expect(try await items(of: library, limit: limit) == whole.items, "is another one in pages of \(limit)")
    }
    for limit in [0, -5, .min] { try expect(try await page(library, nil, limit).items.count == 1, "has a page of \(limit)") }
  }

  /// Checks that each list refuses the keys of the others.
  ///
  /// - Throws: `.verificationFailed`, also for a list with fewer than three items.
  package static func checkKeys(of lists: [PagedList], in library: Library) async throws {
    var keys: [PageKey?] = []
    for list in lists { keys.append(try await list.page(library, nil, 2).next) }
    for (place, list) in lists.enumerated() {
      for (other, key) in keys.enumerated() where other != place {
        let code = await asyncCode { _ = try await list.page(library, key, 2) }
        try list.expect(key != nil && code == .misuse, "takes a key of \(lists[other].name)")
      }
    }
  }

  private func expect(_ isKept: Bool, _ problem: String) throws {
    if !isKept { throw StoreError(.verificationFailed, "the list \(name) \(problem)") }
  }
}
