package import Holdfast

/// The items of a paged list, until it ends or there are as many as are wanted; nil takes all.
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
