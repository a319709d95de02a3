internal import Holdfast
package import HoldfastSync

/// A pull that a device asks for, and what it gets: the same in every kind of store.
public struct SyncPull: Sendable {
  package let request: SyncRequest

  package init(_ request: SyncRequest) { self.request = request }

  /// The number of the last push that the device has seen. It gets the rows with greater ones.
  public var cursor: Int64 { request.cursor }

  /// The answer: a page, unless the space refuses the request.
  ///
  /// - Parameter page: rows behind the cursor, and all of them unless the page is full; as of the moment of `space`.
  /// - Throws: `.decoding` for a line that does not begin as its row's.
  public func answer(from space: StoredSpace, _ page: SyncPage, now: Int64) throws -> SyncAnswer {
    let response = response(from: space, page, now: now)
    return SyncAnswer(response, lines: try response.status == 200 ? page.whole.map { try $0.sent() } : nil)
  }

  /// The same without rows.
  func response(from space: StoredSpace, _ page: SyncPage, now: Int64) -> SyncResponse {
    let end = page.isFull ? page.whole.last?.sequence : nil
    let outcome = space.refusal(of: request) ?? .page([], cursor: end ?? space.head, more: end != nil)
    return SyncResponse(outcome, now: now, epoch: space.epoch)
  }
}

/// The rows of one answer to a pull, as they are stored.
public struct SyncPage: Sendable {
  /// The most rows of a page, and the most bytes of their lines: 1,000 and 1 MB. A page ends earlier rather than within a push, and has at
  /// least one push.
  public static let most = (rows: 1_000, bytes: 1 << 20)

  private let (mostRows, mostBytes): (Int, Int)
  private var rows: [SyncLine] = []
  /// The rows of whole pushes, and the bytes of all.
  private var (wholeCount, bytes) = (0, 0)
  /// Whether rows are left for the next page.
  public private(set) var isFull = false

  /// An empty page.
  public init() { self.init(rows: Self.most.rows, bytes: Self.most.bytes) }

  init(rows: Int, bytes: Int) { (mostRows, mostBytes) = (rows, bytes) }

  /// Takes the next row, by push, table and key. False when the page is full, and takes no more.
  public mutating func add(_ line: SyncLine) -> Bool {
    if let last = rows.last, last.sequence != line.sequence { wholeCount = rows.count }
    bytes += line.line.utf8.count
    isFull = wholeCount > 0 && (rows.count >= mostRows || bytes > mostBytes)
    if !isFull { rows.append(line) }
    return !isFull
  }

  /// Its rows.
  var whole: ArraySlice<SyncLine> { isFull ? rows.prefix(wholeCount) : rows[...] }
}
