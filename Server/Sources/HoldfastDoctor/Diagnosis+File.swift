package import Foundation
internal import Holdfast

extension Diagnosis {
  /// Looks at what is around a store that is a file: its copies, its volume, and who may read it.
  ///
  /// - Parameter freeBytes: for tests; nil asks the volume.
  package static func file(at url: URL, freeBytes: Int64? = nil) -> Diagnosis {
    var findings: [Finding] = []
    let hasArchive = (try? Archive(of: url)) != nil
    if !hasArchive { findings.append(Finding(.archive, "no archive: only backups and snapshots bring back what a person has deleted")) }
    let (file, folder) = (mode(of: url), mode(of: url.deletingLastPathComponent()))
    if file & 0o004 != 0, folder & 0o001 != 0 {
      findings.append(Finding(.readable, "every user of this machine can read the store"))
    }
    let bytes = number(.size, of: FileManager.default.attributesOfItem, url)
    let free = freeBytes ?? number(.systemFreeSize, of: FileManager.default.attributesOfFileSystem, url)
    if free < bytes { findings.append(Finding(.disk, "the store has \(bytes) bytes, and its volume only \(free) free ones")) }
    let snapshots = (try? Snapshot.all(of: url)) ?? []
    let newest = snapshots.map(\.createdAt).max().map { ", the newest of \($0.formatted(.iso8601))" } ?? ""
    return Diagnosis(
      facts: "a file of \(bytes) bytes, \(hasArchive ? "an archive" : "no archive"), \(snapshots.count) snapshots\(newest)",
      findings: findings)
  }

  private static func mode(of url: URL) -> Int64 { number(.posixPermissions, of: FileManager.default.attributesOfItem, url) }

  /// 0 where the system does not say it.
  private static func number(
    _ key: FileAttributeKey, of attributes: (String) throws -> [FileAttributeKey: Any], _ url: URL
  ) -> Int64 {
    ((try? attributes(url.path))?[key] as? NSNumber)?.int64Value ?? 0
  }
}
