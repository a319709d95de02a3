import Holdfast

/// The items of a paged list, until it ends or there are as many as are wanted. Only what `shown` makes of them is kept.
///
/// - Parameter limit: nil takes all.
func gather<Item, Shown>(
  _ limit: Int?, as shown: (Item) throws -> Shown, from page: (_ after: PageKey?, _ limit: Int) throws -> Page<Item>
) rethrows -> [Shown] {
  let wanted = limit ?? .max
  var gathered: [Shown] = []
  var key: PageKey?
  repeat {
    let page = try page(key, min(100, wanted - gathered.count))
    gathered += try page.items.map(shown)
    key = page.next
  } while key != nil && gathered.count < wanted
  return gathered
}

/// All items of a paged list.
func gather<Item>(_ page: (_ after: PageKey?, _ limit: Int) throws -> Page<Item>) rethrows -> [Item] {
  try gather(nil, as: { $0 }, from: page)
}
