public import Foundation
public import Holdfast

extension SyncServer {
  /// Checks the store at `url` as `Store.check` does, and computes each space's digest again. Changes nothing; a server may have it open.
  ///
  /// - Throws: what `Store.check` throws, when the store cannot be looked at. Damage is a finding.
  public static func check(at url: URL, options: StoreOptions = .production) throws -> IntegrityReport {
    var report = try Store.check(at: url, schemas: [schema], options: options)
    guard report.isHealthy else { return report }
    var looking = options
    looking.opensReadOnly = true
    let store = try Store.open(at: url, schemas: [schema], options: looking)
    defer { try? store.close() }
    report.findings += try SyncServer(store).wrongSums()
    return report
  }

  /// In one read, unlike `problems()`: a server may push meanwhile.
  private func wrongSums() throws -> [IntegrityReport.Finding] {
    try store.read { reader in
      try reader.all(StoredSpace.self, "ORDER BY space").flatMap { space in try SpaceSum(of: space.space, reader).problems(of: space) }
    }
  }

  /// Writes a verified copy of the last commit of the store at `url` to the new file `target`. A server may have the store open.
  ///
  /// - Throws: `.notFound` without a store; `.cannotCreate` when there is a file at `target`; what `Store.snapshot(label:)` throws.
  public static func backUp(_ url: URL, to target: URL, options: StoreOptions = .production) throws {
    let folder = try WorkingFolder(beside: target, "backup")
    var copying = options
    copying.createsIfMissing = false
    copying.snapshots = SnapshotOptions()
    copying.snapshots.folder = folder.url
    let store = try Store.open(at: url, schemas: [schema], options: copying)
    defer { try? store.close() }
    let snapshot = try store.snapshot(label: "backup")
    let copy = folder.file("\(url.lastPathComponent).snapshots").appendingPathComponent("\(snapshot.id).sqlite")
    do { try DurableFile.place(copy, at: target) } catch let error as StoreError where error.code == .busy {
      throw StoreError(.cannotCreate, "\(target.path) is there already", suggestion: "Choose another name; a copy is never overwritten.")
    }
  }
}

extension SyncSpaces {
  /// Writes a verified copy of all spaces to the new file `target`, a store that `SyncServer` opens. Each space is as of one moment, in the
  /// order of their names.
  ///
  /// - Throws: `.cannotCreate` when there is a file at `target`; `.busy` when a space changed while it was copied; the errors of both stores.
  public func backUp(to target: URL, options: StoreOptions = .production) async throws {
    let folder = try WorkingFolder(beside: target, "copy")
    let url = folder.file("server.sqlite")
    let copy = SyncServer(try Store.open(at: url, schemas: [SyncServer.schema], options: options))
    do {
      for space in try await spaces() { try await copying(space.name) { try await copy.take($0) } }
    } catch {
      try? copy.store.close()
      throw error
    }
    try copy.store.close()
    try SyncServer.backUp(url, to: target, options: options)
  }
}
