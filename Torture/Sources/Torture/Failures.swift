import Foundation

/// Keeps states in which something was found, so that they can be judged again: `torture judge <folder>`.
enum Failures {
  static let folder = "Torture/Failures"

  /// Copies the state before it is judged a second time. Returns the command that judges it again.
  static func keep<Judged: Encodable>(_ judged: Judged, as name: String, write: (URL) throws -> Void) -> String {
    let target = URL(fileURLWithPath: "\(folder)/\(name)")
    do {
      try? FileManager.default.removeItem(at: target)
      let state = target.appendingPathComponent("state")
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try write(state)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(judged).write(to: target.appendingPathComponent("case.json"))
      return "torture judge \(folder)/\(name)"
    } catch {
      return "the state could not be kept: \(error)"
    }
  }

  /// Judges a kept state, on a copy.
  static func judge(_ path: String) throws -> Bool {
    let kept = URL(fileURLWithPath: path)
    let copy = try Paths.fresh("judged").appendingPathComponent("state")
    try FileManager.default.copyItem(at: kept.appendingPathComponent("state"), to: copy)
    let written = try Data(contentsOf: kept.appendingPathComponent("case.json"))
    let decoder = JSONDecoder()
    let findings: [Finding]
    if var judged = try? decoder.decode(Case.self, from: written) {
      judged.folder = copy.path
      findings = try Worker().judge(judged)
    } else if var judged = try? decoder.decode(SharedCase.self, from: written) {
      judged.folder = copy.path
      findings = try Worker().ask(JSONEncoder().encode(judged), "shared")
    } else if var judged = try? decoder.decode(ArchiveDamageCase.self, from: written) {
      judged.folder = copy.path
      findings = try Worker().ask(JSONEncoder().encode(judged), "archive")
    } else {
      var judged = try decoder.decode(DamageCase.self, from: written)
      judged.folder = copy.path
      findings = try Worker().ask(JSONEncoder().encode(judged), "damage")
    }
    for finding in findings { print("\(finding.kind): \(finding.detail)") }
    if findings.isEmpty { print("nothing is found any more") }
    return findings.isEmpty
  }

  static func copy(_ files: [String: [UInt8]?], to folder: URL) throws {
    for (path, content) in files.sorted(by: { $0.key < $1.key }) {
      let target = folder.path + "/" + path
      guard let content else {
        guard mkdir(target, 0o700) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        continue
      }
      let file = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      defer { close(file) }
      guard content.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == content.count else {
        throw POSIXError(.ENOSPC)
      }
    }
  }
}

extension Case {
  /// Judges it in `worker`, and keeps the state as it was before when something new was found.
  func judge(by worker: Worker, _ name: String, _ tally: Tally, repeatBy command: String, as method: String, keeps: Bool) throws {
    let kept = URL(fileURLWithPath: folder + ".kept")
    try? FileManager.default.removeItem(at: kept)
    try FileManager.default.copyItem(atPath: folder, toPath: kept.path)
    for finding in try worker.judge(self) {
      guard tally.find(finding, name, repeatBy: command), keeps else { continue }
      let again = Failures.keep(self, as: "\(method)-\(name.replacingOccurrences(of: " ", with: "-"))-\(seed)-\(finding.kind)") { state in
        try FileManager.default.removeItem(at: state)
        try FileManager.default.copyItem(at: kept, to: state)
      }
      tally.repeatBy(name, finding.kind, "\(command); \(again)")
    }
  }
}
