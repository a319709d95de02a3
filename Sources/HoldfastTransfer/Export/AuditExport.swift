public import Foundation
public import Holdfast

extension Store {
  /// Writes the whole audit to a file, one JSON object a line, oldest entry first; see `AuditEntry.json`. No other export contains it.
  ///
  /// Replaces an existing file at the end, so a failed export leaves the old one.
  /// - Returns: the number of entries.
  /// - Throws: `.misuse` for a file of the store itself; `.decoding` for an entry that cannot be read; `.diskFull`, `.permissionDenied`,
  ///   `.cannotCreate`, `.inputOutput`.
  @discardableResult
  public func exportAudit(to url: URL) throws -> Int {
    try read { reader in
      try ExportFile.replace(url, from: self) { file in
        var (count, last) = (0, Int64.min)
        while case let entries = try reader.auditEntries(after: last), let newest = entries.last {
          for entry in entries { try file.line(entry.json) }
          (count, last) = (count + entries.count, newest.id)
        }
        return count
      }.result
    }
  }

  /// The same without blocking the caller.
  @discardableResult
  public func exportAudit(to url: URL) async throws -> Int { try await offTask { _ in try self.exportAudit(to: url) } }
}
