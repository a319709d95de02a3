import Foundation
import Testing

/// The built binary as a real process, in a folder of its own.
struct Workbench: ~Copyable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
  func path(_ name: String) -> String { url(name).path }

  /// Copies a fixture in, under another name if one is given.
  @discardableResult
  func fixture(_ name: String, as other: String? = nil) throws -> String {
    let target = url(other ?? name)
    try FileManager.default.copyItem(at: Self.tests.appendingPathComponent("Fixtures/\(name)"), to: target)
    return target.path
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url(name))
    return path(name)
  }

  /// The names in the folder, sorted.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  /// Every file with its bytes.
  func content() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder), !isFolder.boolValue {
        content[name] = try Data(contentsOf: url(name))
      }
    }
    return content
  }

  /// Runs the command. What is given is expected: its status, and words in its standard output and standard error.
  @discardableResult
  func run(
    _ arguments: String..., status: Int32? = nil, output: String? = nil, errors: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Finished {
    try run(arguments, status: status, output: output, errors: errors, sourceLocation: sourceLocation)
  }

  /// With more in the environment.
  @discardableResult
  func run(
    _ environment: [String: String], _ arguments: String..., status: Int32? = nil, output: String? = nil, errors: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Finished {
    try run(arguments, environment, status: status, output: output, errors: errors, sourceLocation: sourceLocation)
  }

  @discardableResult
  func run(
    _ arguments: [String], _ environment: [String: String] = [:], status: Int32? = nil, output: String? = nil, errors: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Finished {
    let finished = try Running(Self.binary, arguments, in: folder, environment: environment).finish()
    let told = "\(arguments.joined(separator: " ")): \(finished.status) \(finished.output)\(finished.errors)"
    if let status { #expect(finished.status == status, "\(told)", sourceLocation: sourceLocation) }
    if let output { #expect(finished.output.contains(output), "\(told)", sourceLocation: sourceLocation) }
    if let errors { #expect(finished.errors.contains(errors), "\(told)", sourceLocation: sourceLocation) }
    return finished
  }

  func shell(_ script: String) throws -> Finished {
    try Running(URL(fileURLWithPath: "/bin/bash"), ["-c", script, "bash", Self.binary.path, folder.path], in: folder).finish()
  }

  /// Runs the command without root's rights: permissions do not bind root.
  func asNobody(_ command: String) throws -> Finished {
    try shell(
      #"""
      [ -e holdfast ] || { chmod 777 .; cp "$1" holdfast; chmod 755 holdfast; }
      if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --clear-groups ./holdfast \#(command); else ./holdfast \#(command); fi
      """#)
  }

  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// Beside the test bundle.
  static let binary: URL = {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
      return bundle.deletingLastPathComponent().appendingPathComponent("holdfast")
    #else
      let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
      return executable.deletingLastPathComponent().appendingPathComponent("holdfast")
    #endif
  }()
}

/// What a process left behind.
struct Finished {
  var status: Int32
  var output: String
  var errors: String
  /// The standard output as JSON.
  var document: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
  }
  /// The lines of a list without their first column: ids are long, and say nothing where times or names do.
  var withoutIDs: String { output.split(separator: "\n").map { String($0.dropFirst(38)) + "\n" }.joined() }
}

/// A process that was started.
final class Running {
  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private let collected = Collected()

  /// - Parameters:
  ///   - environment: beside what every process has here.
  ///   - onError: is told every piece of standard error as it comes.
  init(
    _ binary: URL, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
    onError: (@Sendable (String, Int32) -> Void)? = nil
  ) throws {
    process.executableURL = binary
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    // Help is wrapped to this width.
    let own = ProcessInfo.processInfo.environment
    process.environment = ["PATH": own["PATH"] ?? "/usr/bin:/bin", "COLUMNS": "80", "LANG": "C.UTF-8"]
    // The SQLite that the tests run with.
    process.environment?["LD_LIBRARY_PATH"] = own["LD_LIBRARY_PATH"]
    // With coverage on, a process that is killed leaves counts that cannot be merged, and one that is not told where to leave
    // them leaves them in the folder that is tested.
    process.environment?["LLVM_PROFILE_FILE"] = "/dev/null"
    process.environment?.merge(environment) { _, given in given }
    try process.run()
    let id = process.processIdentifier
    // Both at once: a process that fills one pipe while the other is read would wait for ever.
    collected.read(output.fileHandleForReading, into: \.output)
    collected.read(errors.fileHandleForReading, into: \.errors) { piece in onError?(piece, id) }
  }

  func finish() -> Finished {
    process.waitUntilExit()
    let texts = collected.wait()
    let status = process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
    return Finished(status: status, output: texts.output, errors: texts.errors)
  }
}

private final class Collected: @unchecked Sendable {
  struct Texts {
    var output = ""
    var errors = ""
  }

  // Guarded by `lock`.
  private var texts = Texts()
  private let lock = NSLock()
  private let group = DispatchGroup()

  func read(_ handle: FileHandle, into place: any WritableKeyPath<Texts, String> & Sendable, _ told: (@Sendable (String) -> Void)? = nil) {
    group.enter()
    Thread {
      var data = Data()
      while true {
        let piece = handle.availableData
        if piece.isEmpty { break }
        data.append(piece)
        told?(String(decoding: piece, as: UTF8.self))
      }
      self.lock.lock()
      self.texts[keyPath: place] = String(decoding: data, as: UTF8.self)
      self.lock.unlock()
      self.group.leave()
    }.start()
  }

  func wait() -> Texts {
    group.wait()
    lock.lock()
    defer { lock.unlock() }
    return texts
  }
}
