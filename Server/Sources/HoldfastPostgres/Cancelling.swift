internal import CPostgres
internal import Dispatch

/// What cancels the statement that a connection runs, also after the connection was closed.
struct Cancelling: @unchecked Sendable {
  /// libpq makes a second connection, and blocks until PostgreSQL has the word. Statements end by themselves after their time, too.
  private static let queue = DispatchQueue(label: "holdfast.postgres.cancel")

  private let pointer: OpaquePointer

  /// Nil without an open connection.
  init?(_ link: Link) {
    guard let pointer = PQgetCancel(link.pointer) else { return nil }
    self.pointer = pointer
  }

  /// Sends the word soon. Call it once.
  func send() {
    Self.queue.async {
      var message = [CChar](repeating: 0, count: 256)
      _ = PQcancel(pointer, &message, Int32(message.count))
      PQfreeCancel(pointer)
    }
  }
}
