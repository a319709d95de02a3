import Foundation

/// Keeps states in which something was found, so that they can be judged again: `torture judge <folder>`.
enum Failures {
  static let folder = "Torture/Failures"
  /// What a worker judges.
  static var kinds: [any Judged.Type] { [Case.self, SharedCase.self, ArchiveDamageCase.self, DamageCase.self, SalvageCase.self] }

  /// Copies the state before it is judged a second time. Returns the command that judges it again.
  static func keep(_ judged: some Judged, as name: String, write: (URL) throws -> Void) -> String {
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
    for kind in kinds {
      guard var judged = try? decoder.decode(kind, from: written) else { continue }
      judged.folder = copy.path
      let findings = try Worker().ask(judged)
      for finding in findings { print("\(finding.kind): \(finding.detail)") }
      if findings.isEmpty { print("nothing is found any more") }
      return findings.isEmpty
    }
    throw CocoaError(.fileReadCorruptFile)
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

/// A folder after an attack, with everything that its judge needs.
protocol Judged: Codable, Sendable {
  var folder: String { get set }
  var seed: UInt64 { get }
  func judge() throws -> [Finding]
}

extension Judged {
  /// Judges it in `worker`, and keeps the folder as it was before when something new was found.
  ///
  /// - Parameter mayBe: whether something that was found is no fault here.
  @discardableResult
  func judge(
    by worker: Worker, _ name: String, _ tally: Tally, repeatBy command: String, as method: String, keeps: Bool,
    unless mayBe: (Finding) -> Bool = { _ in false }
  ) throws -> [Finding] {
    let kept = URL(fileURLWithPath: folder + ".kept")
    try? FileManager.default.removeItem(at: kept)
    try FileManager.default.copyItem(atPath: folder, toPath: kept.path)
    let findings = try worker.ask(self)
    for finding in findings where !mayBe(finding) {
      guard tally.find(finding, name, repeatBy: command), keeps else { continue }
      let again = Failures.keep(self, as: "\(method)-\(name.replacingOccurrences(of: " ", with: "-"))-\(seed)-\(finding.kind)") { state in
        try FileManager.default.removeItem(at: state)
        try FileManager.default.copyItem(at: kept, to: state)
      }
      tally.repeatBy(name, finding.kind, "\(command); \(again)")
    }
    return findings
  }
}
