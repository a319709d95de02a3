package import Foundation
package import HoldfastSyncServer
package import Logging

/// The number of pushes in the store, noted in a file beside it: `server.sqlite.pushes`. A store with fewer pushes than were noted has been
/// restored or rewound.
///
/// Written after each commit and before its push is acknowledged, without a flush: a killed process loses no acknowledged push of it, and
/// power loss makes it unreadable at worst. A note that is missing or unreadable counts as a restored store, because a new epoch costs
/// nothing where nothing was lost.
package actor PushNote {
  private let server: SyncServer
  private let file: URL
  /// What the file has, as far as this process has written it.
  private var noted: Int64?

  package init(_ server: SyncServer, beside store: URL) {
    self.server = server
    file = store.appendingPathExtension("pushes")
  }

  /// Begins a new epoch in all spaces, if the store has lost pushes; returns whether it did. For the start of a server.
  package func settle() throws -> Bool {
    let count = try server.pushCount()
    let text = try? String(contentsOf: file, encoding: .utf8)
    let noted = text.flatMap { Int64($0.trimmingCharacters(in: .newlines)) }
    let isKnown = noted.map { $0 <= count } ?? (count == 0 && text == nil)
    if !isKnown { try server.beginEpoch() }
    try note(count)
    return !isKnown
  }

  /// Notes the present number. Returns when the file has it, or the logger a warning.
  package func write(_ logger: Logger) {
    do { try note(server.pushCount()) } catch {
      logger.warning("the number of pushes could not be noted", metadata: ["error": "\(error)"])
    }
  }

  private func note(_ count: Int64) throws {
    // Pushes of one transaction have one number.
    guard count != noted else { return }
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    // In place, and always of the same length: a process that is killed leaves the old number or the new one.
    let digits = String(count)
    try handle.write(contentsOf: Data((String(repeating: "0", count: max(0, 19 - digits.count)) + digits + "\n").utf8))
    noted = count
  }
}
