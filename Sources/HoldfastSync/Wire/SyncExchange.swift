package import Holdfast

/// What a device asks of a space on a server. Each request stands alone: the server keeps nothing of a device between two of them.
package struct SyncRequest: Sendable, Equatable {
  package enum Verb: Sendable, Equatable {
    /// The rows behind the cursor.
    case pull
    /// Rows that the device has changed: merged by the server in one transaction.
    case push([SyncRow])
  }

  package var verb: Verb
  /// The epoch that the cursor belongs to; nil for a device that has never pulled.
  package var epoch: String?
  /// The number of the last push that the device has seen, with all before it. 0: none.
  package var cursor: Int64
  /// The version of the device's schemas. The server refuses one below its space's `minSchema`.
  package var schema: Int

  package init(_ verb: Verb, epoch: String?, cursor: Int64, schema: Int) {
    (self.verb, self.epoch, self.cursor, self.schema) = (verb, epoch, cursor, schema)
  }
}

/// What a server answers.
package struct SyncResponse: Sendable {
  /// A row as the server has it, and the number of the push that changed it last.
  package struct Stored: Sendable, Equatable {
    package let row: SyncRow
    package let sequence: Int64

    package init(_ row: SyncRow, at sequence: Int64) { (self.row, self.sequence) = (row, sequence) }
  }

  /// A row that the server does not take, with the reason: `row_too_large` or `quota`. The device keeps it.
  package struct Refused: Sendable, Equatable {
    package let name: SyncRow.Name
    package let code: String

    package init(_ name: SyncRow.Name, _ code: String) { (self.name, self.code) = (name, code) }
  }

  package enum Outcome: Sendable {
    /// The next rows, oldest push first; rows of one push are never in two pages. `cursor` is that of the page's end, and without `more` that
    /// of the space.
    case page([Stored], cursor: Int64, more: Bool)
    /// Each row that was sent and not refused, as it is now. `cursor` is the space's when the device had seen all before this push; else nil.
    case pushed([Stored], refused: [Refused], cursor: Int64?)
    /// The device's epoch has ended: up to push number `fork` the server has what the device has seen. Nil: the server does not know that epoch.
    case branched(fork: Int64?)
    /// A stamp lies more than two minutes after the server's time, and after all stamps of its row that the server has. Nothing was applied.
    case future
    /// The device's schema is too old. Nothing was applied.
    case oldSchema
    /// Anything else. Nothing was applied.
    case failed(StoreError)
  }

  package var outcome: Outcome
  /// The server's time in milliseconds since 1970.
  package var now: Int64
  package var epoch: String
  /// The server may have removed tombstones of pushes up to this number. 0, also in the answer of an error: it has removed none.
  package var floor: Int64

  package init(_ outcome: Outcome, now: Int64, epoch: String, floor: Int64 = 0) {
    (self.outcome, self.now, self.epoch, self.floor) = (outcome, now, epoch, floor)
  }

  /// The farthest that a stamp may lie in the server's future, in milliseconds.
  package static let tolerance: Int64 = 120_000

  /// The times that a server can have: up to the year 9999, so that no sum or shift of a time overflows.
  static let times: ClosedRange<Int64> = 0...253_402_300_799_999
}
