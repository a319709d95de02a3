package import Holdfast
package import HoldfastSync

extension SyncServer {
  /// The rows behind the request's cursor, as `answer(_:in:now:)`, in a read of the caller's.
  package func pull(_ request: SyncRequest, in name: String, now: Int64, _ reader: Reader) throws -> SyncResponse {
    let (space, page) = try page(for: request, in: name, reader)
    guard let space else { return SyncResponse(.failed(StoredSpace.notFound(name)), now: now, epoch: "") }
    var response = SyncPull(request).response(from: space, page, now: now)
    if case .page(_, let cursor, let more) = response.outcome {
      response.outcome = .page(try page.whole.map { try StoredLine($0).answered }, cursor: cursor, more: more)
    }
    return response
  }

  /// The space, nil when it is not there, and a page for a request that it takes.
  func page(for request: SyncRequest, in name: String, _ reader: Reader) throws -> (StoredSpace?, SyncPage) {
    struct Full: Error {}
    var page = SyncPage(rows: pageRows, bytes: pageBytes)
    guard let space = try reader.first(StoredSpace.self, "WHERE space = \(name)") else { return (nil, page) }
    guard space.refusal(of: request) == nil else { return (space, page) }
    do {
      try reader.each(SyncLine.self, "WHERE space = \(name) AND sequence > \(request.cursor) ORDER BY sequence, tbl, key") { line in
        guard page.add(line) else { throw Full() }
      }
    } catch is Full {}
    return (space, page)
  }
}
