import Foundation
import Holdfast

/// What the real `holdfast` makes of a damaged store: it ends in time and by itself, it tells what the library's verbs tell, with the exit
/// code of the documentation, a look leaves every byte as it was, and a snapshot can still be put back.
struct ToolVerdict: Findings {
  var findings: [Finding] = []
  private let judged: DamageCase
  private let tool: String
  private let folder: URL
  private var url: URL { Workload.store(folder) }

  /// `Documentation/CommandLine.md`, "Exit codes".
  private static let statuses: [String: Int32] = [
    "verification_failed": 1, "migration_failed": 1, "migration_lost_rows": 1, "edited_migration": 1, "encryption_unavailable": 1,
    "closed": 1, "misuse": 1, "out_of_memory": 1, "rolled_back": 1, "declined": 1, "usage": 64, "ambiguous": 64,
    "confirmation_needed": 64, "invalid_source": 65, "newer_source": 65, "damaged": 65, "not_a_database": 65, "wrong_kind": 65,
    "newer_schema": 65, "decoding": 65, "invalid_value": 65, "constraint": 65, "not_found": 66, "cannot_create": 73,
    "permission_denied": 73, "read_only": 73, "input_output": 74, "disk_full": 74, "busy": 75, "device_locked": 75, "wrong_key": 77,
    "cancelled": 130,
  ]

  init(_ judged: DamageCase, tool: String) {
    self.judged = judged
    self.tool = tool
    folder = URL(fileURLWithPath: judged.folder)
    let before = FolderBytes(folder)
    let healthy = judgeCheck()
    let info = run(["info", url.path])
    judgeTold("info", info)
    if healthy, info.end != .exited(0) { find("differs", "check is silent, and info ends with \(info.end)") }
    judgeList(isHealthy: healthy)
    let listed = run(["restore", url.path])
    judgeTold("restore, listing", listed)
    for difference in FolderBytes(folder).differences(from: before, newOnes: true) { find("destroyed", "\(difference) after looks") }
    judgeRestore()
  }

  // MARK: Running it

  private struct Answer {
    var end: Subprocess.End
    var document: [String: Any]?
    var code: String? { document?["code"] as? String }
    var message: String { (document?["error"] as? String).map { "\(code ?? ""): \($0)" } ?? "\(end)" }
  }

  private func run(_ arguments: [String]) -> Answer {
    let output = judged.folder + ".output"
    let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { unlink(output) }
    let process = try? Subprocess(arguments + ["--json", "--timeout", "1"], output: descriptor, program: tool)
    close(descriptor)
    let end = process?.wait(seconds: 20) ?? .exited(127)
    let written = (try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data()
    return Answer(end: end, document: (try? JSONSerialization.jsonObject(with: written)) as? [String: Any])
  }

  /// What holds for every answer: it ended by itself, in a document, and document, code and exit status agree.
  private mutating func judgeTold(_ verb: String, _ answer: Answer, allows: Set<String> = []) {
    guard case .exited(let status) = answer.end else {
      return find(answer.end == .tookTooLong ? "hangs" : "trap", "\(verb): \(answer.end)")
    }
    guard let document = answer.document else { return find("no-document", "\(verb) ends with \(status) and no document") }
    guard document["ok"] as? Bool == false else {
      if status != 0 && status != 2 { find("wrong-exit", "\(verb) is ok, and ends with \(status)") }
      return
    }
    let told = answer.code.flatMap { Self.statuses[$0] }
    if told != status || document["exit_code"] as? Int != Int(status) { find("wrong-exit", "\(verb): \(status) for \(answer.message)") }
    let code = StoreError.Code(rawValue: answer.code ?? "")
    let isGone = judged.damage.what == "delete-file" && code == .notFound
    if !isGone, !allows.contains(answer.code ?? ""), code.map(DamageVerdict.told.contains) != true {
      find(code == .notFound ? "taken-for-nothing" : "wrong-code", "\(verb): \(answer.message)")
    }
  }

  // MARK: The verbs

  private func options() -> StoreOptions {
    var options = Workload.options(.durable, seed: judged.seed)
    options.createsIfMissing = false
    options.busyTimeout = .seconds(1)
    return options
  }

  /// Returns whether both the library and the tool call it healthy.
  private mutating func judgeCheck() -> Bool {
    let library = Result {
      _ = try Store.kinds(at: url)
      return try Store.check(at: url, schemas: [DamagedLibrary.audiobooks.schema], options: options()).isHealthy
    }
    let answer = run(["check", url.path])
    judgeTold("check", answer)
    let expected: Int32 =
      switch library {
      case .success(let isHealthy): isHealthy ? 0 : 2
      case .failure(let error): (error as? StoreError).flatMap { Self.statuses[$0.code.rawValue] } ?? 1
      }
    if case .exited(let status) = answer.end, status != expected, judged.damage.what != "delete-file" {
      find(status == 0 ? "untold" : "differs", "check ends with \(status), and the library's verb would end with \(expected)")
    }
    return answer.end == .exited(0)
  }

  private mutating func judgeList(isHealthy: Bool) {
    let answer = run(["list", url.path])
    judgeTold("list", answer)
    guard isHealthy else { return }
    let count = answer.document?["total"] as? Int ?? 0
    if count != judged.batches {
      find(count < judged.batches && count > 0 ? "untold-rollback" : "untold", "check is silent; \(count) of \(judged.batches) are listed")
    }
  }

  private mutating func judgeRestore() {
    let isSnapshotDamaged = judged.damage.what.hasPrefix("snapshot-")
    guard let newest = (try? Snapshot.all(of: url))?.first(where: { $0.findings.isEmpty }) else {
      if !isSnapshotDamaged { find("no-snapshot", "the snapshots are not listed") }
      return
    }
    let before = FolderBytes(folder)
    let answer = run(["restore", url.path, "--snapshot", newest.id, "--yes"])
    judgeTold("restore", answer, allows: isSnapshotDamaged ? ["not_found"] : [])
    guard answer.end == .exited(0) else { return judgeRefused(answer, before, isSnapshotDamaged) }
    judgeKept(answer, before)
    let check = run(["check", url.path])
    let listed = run(["list", url.path]).document?["total"] as? Int
    if check.end != .exited(0) || listed != newest.rows["collections"] {
      find("bad-restore", "check ends with \(check.end); \(listed ?? -1) of \(newest.rows["collections"] ?? -1) are listed")
    }
  }

  /// A refused snapshot leaves a sound store whole, though its log may be folded; a damaged one keeps every byte.
  private mutating func judgeRefused(_ answer: Answer, _ before: FolderBytes, _ isSnapshotDamaged: Bool) {
    guard isSnapshotDamaged else {
      for difference in FolderBytes(folder).differences(from: before, newOnes: false) { find("destroyed", "\(difference) after a failure") }
      // A copy of one store takes no other store's place.
      if judged.damage.what == "file-of-another", answer.message.contains("is of another store") { return }
      return find("no-restore", answer.message)
    }
    let check = run(["check", url.path])
    let listed = run(["list", url.path]).document?["total"] as? Int
    if check.end != .exited(0) || listed != judged.batches {
      find("destroyed", "a sound store, after a restore that failed: check ends with \(check.end), \(listed ?? -1) are listed")
    }
  }

  /// What was replaced is where the answer says.
  private mutating func judgeKept(_ answer: Answer, _ before: FolderBytes) {
    if let id = answer.document?["kept_snapshot"] as? String {
      if (try? Snapshot.all(of: url))?.contains(where: { $0.id == id }) != true { find("lost", "the told snapshot \(id) is not there") }
    } else if let kept = answer.document?["kept_folder"] as? String {
      for name in ["list.sqlite", "list.sqlite-wal", "list.sqlite-journal"] where before.files[name] != nil {
        let now = try? Data(contentsOf: URL(fileURLWithPath: kept).appendingPathComponent(name))
        if now != before.files[name] { find("destroyed", "\(name) in the told folder is not as it was") }
      }
    } else if before.files["list.sqlite"] != nil {
      find("lost", "nothing is told of where the replaced file is")
    }
  }
}

/// All files below a folder, but `-shm`: that a salvage could use.
struct FolderBytes {
  private(set) var files: [String: Data] = [:]

  init(_ folder: URL) {
    for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? [] where !path.hasSuffix("-shm") {
      files[path] = try? Data(contentsOf: folder.appendingPathComponent(path))
    }
  }

  /// What became of the files that were there before; `newOnes`: and what was not there.
  func differences(from before: FolderBytes, newOnes: Bool) -> [String] {
    let changed = before.files.sorted { $0.key < $1.key }.compactMap { path, content -> String? in
      guard files[path] != content else { return nil }
      let places = files[path].map { zip(content, $0).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset) } ?? []
      return files[path] == nil ? "\(path) is gone" : "\(path) changed at \(places.count) bytes from \(places.first ?? -1) on"
    }
    // An empty log is what a reader leaves that met none.
    return changed + (newOnes ? files.filter { before.files[$0.key] == nil && !$0.value.isEmpty }.keys.sorted().map { "\($0) is new" } : [])
  }
}
