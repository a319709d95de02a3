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

  mutating func judgeSnapshots(_ options: StoreOptions) throws {
    for snapshot in snapshots() { _ = try Snapshot.verify(snapshot.id, of: store, options: options) }
    if snapshots().map(\.label) != ["earlier"] { find("next-run", "there are other snapshots: \(snapshots().map(\.label))") }
  }
}
