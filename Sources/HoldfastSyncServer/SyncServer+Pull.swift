package import Holdfast
package import HoldfastSync

extension SyncServer {
  /// The rows behind the request's cursor, as `answer(_:in:now:)`, in a read of the caller's.
  package func pull(_ request: SyncRequest, in name: String, now: Int64, _ reader: Reader) throws -> SyncResponse {
    try answering(request, in: name, now: now, reader) { space in
      let (rows, more) = try page(after: request.cursor, of: space.space, reader)
      guard more, let last = rows.last else { return .page(rows, cursor: space.head, more: false) }
      return .page(rows, cursor: last.sequence, more: true)
    }
  }

  private func page(after cursor: Int64, of space: String, _ reader: Reader) throws -> (rows: [SyncResponse.Stored], more: Bool) {
    struct Full: Error {}
    var rows: [SyncResponse.Stored] = []
    // The rows of whole pushes, and the bytes of all.
    var (whole, bytes) = (0, 0)
    do {
      try reader.each(StoredLine.self, "WHERE space = \(space) AND sequence > \(cursor) ORDER BY sequence, tbl, key") { line in
        if let last = rows.last, last.sequence != line.sequence { whole = rows.count }
        bytes += line.line.utf8.count
        if whole > 0, rows.count >= pageRows || bytes > pageBytes { throw Full() }
        rows.append(line.stored)
      }
      return (rows, false)
    } catch is Full {
      return (Array(rows.prefix(whole)), true)
    }
  }
}
