package import Foundation
internal import Holdfast

// A body is lines, each of which ends with a line break: first a head, then rows. The head counts the rows, so that a body that was cut off
// between two lines is never taken for a shorter one.

extension SyncRequest {
  /// The most rows of one push.
  package static let greatestRows = 1_000
  /// The greatest size of a body, in bytes, unzipped.
  package static let greatestBytes = 1 << 20

  /// The request as the body of an HTTP request. A head such as `{"cursor":7,"epoch":"e1","schema":3}`; for a push with `rows`, their number,
  /// and the lines of the rows.
  package var body: Data {
    var head: [String: JSONValue] = ["cursor": .integer(cursor), "schema": .integer(Int64(schema))]
    head["epoch"] = epoch.map(JSONValue.string)
    guard case .push(let rows) = verb else { return WireLines.body(head, nil) }
    return WireLines.body(head, rows.map(\.line))
  }

  /// Reads the body of an HTTP request. No input traps.
  ///
  /// - Throws: `.invalidValue` for a body above `greatestBytes` or `greatestRows`; `.invalidSource` with the number of the line that is wrong.
  package init(body: Data) throws {
    guard body.count <= Self.greatestBytes else {
      throw StoreError(.invalidValue, "the request has more than \(Self.greatestBytes) bytes", suggestion: "Send fewer rows at once.")
    }
    let lines = WireLines(body)
    guard lines.rowCount <= Self.greatestRows else {
      throw StoreError(.invalidValue, "the request has more than \(Self.greatestRows) rows", suggestion: "Send fewer rows at once.")
    }
    let (epoch, cursor, schema, isPush) = try lines.head { head, count in
      let members = (
        try head.text("epoch"), try WireObject.required("cursor", head.number("cursor", in: 0...Int64.max)),
        try WireObject.required("schema", head.number("schema", in: 0...Int64(Int32.max))), count != nil
      )
      try head.finish()
      return members
    }
    let rows = try lines.rows { row, sequence in
      guard sequence == nil else { throw WireObject.wrong("only a server's answer has \"q\"") }
      return row
    }
    self.init(isPush ? .push(rows) : .pull, epoch: epoch, cursor: cursor, schema: Int(schema))
  }
}

extension SyncResponse {
  /// The HTTP status of the answer.
  ///
  /// An error has the status of its code: `.invalidSource` 400, `.permissionDenied` 401, `.readOnly` 403, `.notFound` 404, `.invalidValue` 413,
  /// any other 503. So an error of the server's own files must be given another code than these before it is answered.
  package var status: Int {
    switch outcome {
    case .page, .pushed: 200
    case .branched: 409
    case .future: 422
    case .oldSchema: 426
    case .failed(let error): Self.statuses[error.code] ?? 503
    }
  }

  private static let statuses: [StoreError.Code: Int] = [
    .invalidSource: 400, .permissionDenied: 401, .readOnly: 403, .notFound: 404, .invalidValue: 413,
  ]

  /// The answer as the body of an HTTP response. The head has `now` and `epoch`; of a page `cursor`, `more` and `rows`; of a push `cursor`, where
  /// there is one, `refused`, a list of table, key and reason of each row, and `rows`; of a branch `fork`, where there is one; of these three
  /// `floor`; of an error `code` and `message`. The lines of the rows have `q`.
  package var body: Data { body(lines: nil) }

  /// - Parameter lines: the lines of the rows, with `q`, in place of the rows of a page.
  package func body(lines: [String]?) -> Data {
    var head: [String: JSONValue] = ["now": .integer(now), "epoch": .string(epoch)]
    var rows: [Stored]?
    if status == 200 || status == 409 { head["floor"] = .integer(floor) }
    switch outcome {
    case .page(let page, let cursor, let more):
      rows = page
      head["cursor"] = .integer(cursor)
      head["more"] = .bool(more)
    case .pushed(let stored, let refused, let cursor):
      rows = stored
      head["cursor"] = cursor.map(JSONValue.integer)
      head["refused"] = .array(
        refused.map { .array([.string($0.name.table.text), .string($0.name.key.text), .string($0.code)]) })
    case .branched(let fork): head["fork"] = fork.map(JSONValue.integer)
    case .future, .oldSchema: break
    case .failed(let error):
      head["code"] = .string(error.code.rawValue)
      // Other errors may name the server's files.
      head["message"] = .string(status == 503 ? "the server cannot answer now" : error.message)
    }
    return WireLines.body(head, lines ?? rows?.map { $0.row.line(at: $0.sequence) })
  }

  /// Reads the body of an HTTP response. No input traps. Members of the head that this version does not know are skipped.
  ///
  /// - Throws: `.inputOutput` for a body that is not a whole answer with this status: one that was cut off, or that another program sent.
  package init(body: Data, status: Int) throws {
    do {
      self = try Self.read(WireLines(body), status)
    } catch {
      throw StoreError(.inputOutput, "the answer, with the status \(status), is not one of a Holdfast server, or not whole", cause: error)
    }
  }

  private static func read(_ lines: WireLines, _ status: Int) throws -> SyncResponse {
    let rows = try lines.rows { row, sequence in Stored(row, at: try WireObject.required("q", sequence)) }
    return try lines.head { head, _ in
      let now = try WireObject.required("now", head.number("now", in: times))
      let epoch = try WireObject.required("epoch", head.text("epoch"))
      let outcome: Outcome
      switch status {
      case 200:
        let cursor = try head.number("cursor", in: 0...Int64.max)
        if let more = try head.flag("more") {
          outcome = .page(rows, cursor: try WireObject.required("cursor", cursor), more: more)
        } else {
          outcome = .pushed(rows, refused: try WireObject.required("refused", head.list("refused")).map(refused), cursor: cursor)
        }
      case 409: outcome = .branched(fork: try head.number("fork", in: 0...Int64.max))
      case 422: outcome = .future
      case 426: outcome = .oldSchema
      default:
        let code = StoreError.Code(rawValue: try WireObject.required("code", head.text("code"))) ?? .inputOutput
        outcome = .failed(StoreError(code, try WireObject.required("message", head.text("message"))))
      }
      return SyncResponse(outcome, now: now, epoch: epoch, floor: try head.number("floor", in: 0...Int64.max) ?? 0)
    }
  }

  private static func refused(_ json: JSONValue) throws -> Refused {
    guard let texts = json.texts, texts.count == 3 else { throw WireObject.wrong("\"refused\" is not a list of tables, keys and reasons") }
    return Refused(SyncRow.Name(texts[0], texts[1]), texts[2])
  }
}

/// The lines of a body.
private struct WireLines {
  private let lines: [ArraySlice<UInt8>]

  init(_ body: Data) {
    let lines = Array(body).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    self.lines = lines.count > 1 && lines.last?.isEmpty == true ? lines.dropLast() : lines
  }

  /// - Parameter rows: nil for a body that can have none.
  static func body(_ head: [String: JSONValue], _ rows: [String]?) -> Data {
    var head = head
    head["rows"] = rows.map { .integer(Int64($0.count)) }
    let lines = [JSONValue.object(head).canonicalText()] + (rows ?? [])
    var body = Data(capacity: lines.reduce(0) { $0 + $1.utf8.count + 1 })
    for line in lines {
      body.append(contentsOf: line.utf8)
      body.append(UInt8(ascii: "\n"))
    }
    return body
  }

  /// The lines behind the head.
  var rowCount: Int { max(0, lines.count - 1) }

  /// Reads the head, and the number of rows; that one is nil where it was left out.
  func head<T>(_ read: (inout WireObject, _ count: Int64?) throws -> T) throws -> T {
    try naming(1) {
      var head = try WireObject(lines.first ?? [])
      let count = try head.number("rows", in: 0...Int64.max)
      guard count ?? 0 == rowCount else { throw WireObject.wrong("the body should have \(count ?? 0) rows, and has \(rowCount)") }
      return try read(&head, count)
    }
  }

  func rows<T>(_ read: (SyncRow, Int64?) throws -> T) throws -> [T] {
    try zip(2..., lines.dropFirst()).map { number, line in
      try naming(number) {
        let (row, sequence) = try SyncRow.read(line)
        return try read(row, sequence)
      }
    }
  }

  private func naming<T>(_ number: Int, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as StoreError where error.code == .invalidSource {
      throw StoreError(.invalidSource, "line \(number): \(error.message)", cause: error)
    }
  }
}
