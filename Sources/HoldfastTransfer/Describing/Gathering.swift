package import Holdfast

/// Collects the items of a paged list: all of them, or the first `limit`.
package func gather<Item>(
  _ limit: Int? = nil, _ page: (_ after: PageKey?, _ limit: Int) throws -> Page<Item>
) rethrows -> [Item] {
  let wanted = limit ?? .max
  var gathered: [Item] = []
  var key: PageKey?
  repeat {
    let page = try page(key, min(100, wanted - gathered.count))
    gathered += page.items
    key = page.next
  } while key != nil && gathered.count < wanted
  return gathered
}
