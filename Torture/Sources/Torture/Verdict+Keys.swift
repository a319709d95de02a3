import Foundation
import Holdfast

// What holds for encrypted stores.
extension Verdict {
  func keyOf(_ file: URL) -> StoreKey? {
    if judged.workload == .decrypt, Keys.isPlain(file.path) { return nil }
    guard judged.workload == .rekey, let other = Keys.other, Keys.opens(file.path, other) else { return Keys.key }
    return other
  }

  /// No byte of a row or of the schema is in the clear, and one key opens the store.
  mutating func judgeKeys() {
    // Any key opens an empty file.
    guard let key = Keys.key, let other = Keys.other, (try? Data(contentsOf: store))?.isEmpty == false else { return }
    if judged.workload == .decrypt {
      let isPlain = Keys.isPlain(store.path)
      if isPlain == Keys.opens(store.path, key) { find("keys", "the store is \(isPlain ? "plain" : "encrypted with no known key")") }
      if isPlain, acked("encrypted") != nil { find("keys", "the reported encryption is gone") }
      // Before the end, and where the plain files are kept, they are there.
      if acked("encrypted") == nil || judged.seed.isMultiple(of: 2) { return }
    }
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? [] where name.contains("list.sqlite") {
      let content = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
      for word in ["CREATE TABLE", "SQLite format 3", "lines_by_content"] where content.range(of: Data(word.utf8)) != nil {
        find("in-clear", "\(name) has “\(word)”")
      }
    }
    let opening = [key, other].filter { Keys.opens(store.path, $0) }.count
    if opening != 1 { find("keys", "\(opening) keys open the store") }
    if acked("rekeyed") != nil, !Keys.opens(store.path, other) { find("keys", "the reported key does not open the store") }
  }

  /// Does again what was interrupted. What is done already, this leaves as it is.
  mutating func repeatKeyChange() throws {
    guard let key = Keys.key, let other = Keys.other else { return }
    let former: FormerFiles = judged.isArchived ? Workload.formerFiles(judged.seed) : .remove
    var options = options
    options.key = key
    if judged.workload == .rekey {
      try Store.rekey(at: store, to: other, formerFiles: former, options: options)
      options.key = other
    } else {
      if acked("decrypted") == nil, !isRepeated {
        try Store.decrypt(at: store, encryptedFiles: former, options: options)
        if !Keys.isPlain(store.path) { find("next-run", "the store is still encrypted") }
      }
      try Store.encrypt(at: store, with: key, plainFiles: former, options: options)
      if !Keys.opens(store.path, key) { find("next-run", "the key does not open the store") }
    }
    isRepeated = true
    try judgeSnapshots(options)
  }

  private mutating func judgeSnapshots(_ options: StoreOptions) throws {
    for snapshot in snapshots() { _ = try Snapshot.verify(snapshot.id, of: store, options: options) }
    if snapshots().map(\.label) != ["earlier"] { find("next-run", "there are other snapshots: \(snapshots().map(\.label))") }
  }

  /// The archive of a store whose key is changed, as the attack has left it; nil for other stores. Of some seeds the call is repeated at once,
  /// of the others the app opens the store first.
  mutating func judgeFormerArchives() -> FormerArchives? {
    guard judged.isArchived, judged.workload.changesKey else { return nil }
    var former = FormerArchives(judged, keyOf(store))
    former.judge()
    for finding in former.findings { find(finding.kind, finding.detail) }
    if judged.runsAgain, judged.seed / 4 % 2 == 0 {
      do { try repeatKeyChange() } catch { find("next-run", Self.text(error)) }
    }
    return FormerArchives(judged, keyOf(store))
  }

  /// While the archive has another key, the store says so, and commits all the same.
  mutating func judgeStopped(_ open: Store) throws {
    // Waits for the archive.
    let isRefused = (try? open.label("with another key")) == nil
    let status = try open.archiveStatus()
    if status?.isWriting != false || status?.problem == nil || !isRefused {
      find("archive-untold", "the archive has another key, and its status is \(status.map { "\($0)" } ?? "none")")
    }
  }

  /// After the call was repeated, nothing of the former archive is in the way: the next opening begins anew with the present state.
  mutating func judgeNextArchive() throws {
    var former = FormerArchives(judged, keyOf(store))
    former.judge(onlyKept: true)
    former.judgeLeft()
    for finding in former.findings { find(finding.kind, finding.detail) }
    var archive = ArchiveVerdict(judged, options.key)
    var archived = options
    ArchiveVerdict.archive(&archived)
    let open = try Store.open(at: store, schemas: judged.workload.schemas, options: archived)
    let count = try open.read { try $0.count("SELECT count(*) FROM batches") }
    try open.write { try Library.save(Batch(number: count + 1, seed: judged.seed), in: $0) }
    try archive.settle(open)
    try open.close()
    archive.judge(live: Oracle(store.path, key: archived.key))
    for finding in archive.findings { find(finding.kind, finding.detail) }
  }
}
