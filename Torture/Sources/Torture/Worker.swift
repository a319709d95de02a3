import Foundation
import Synchronization

/// Judges cases in a process of its own, so that a trap of the product is noticed, counted, and ends nothing else.
final class Worker {
  private var process: Subprocess?
  private var toWorker: FileHandle?
  private var fromWorker: FileHandle?
  private var buffer = Data()

  deinit { stop() }

  /// One question, one answer.
  func ask(_ judged: some Judged) throws -> [Finding] {
    if process == nil { try start() }
    let question = String(decoding: try JSONEncoder().encode(judged), as: UTF8.self)
    try toWorker?.write(contentsOf: Data("\(type(of: judged)) \(question)\n".utf8))
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let answer = buffer[..<end]
        let findings = try JSONDecoder().decode([Finding].self, from: answer)
        buffer = Data(buffer[(end + 1)...])
        return findings
      }
      let more = try waitForMore()
      if more.isEmpty {
        let end = process?.wait(seconds: 1)
        stop()
        return [Finding(kind: "trap", detail: "the process that opened it ended: \(end.map { "\($0)" } ?? "?")")]
      }
      buffer.append(more)
    }
  }

  /// Empty when the worker ended, or was ended because it did not answer.
  private func waitForMore() throws -> Data {
    guard let fromWorker else { return Data() }
    var poll = pollfd(fd: fromWorker.fileDescriptor, events: Int16(POLLIN), revents: 0)
    if Glibc.poll(&poll, 1, 60_000) == 0 { process?.signal(SIGKILL) }
    return fromWorker.availableData
  }

  private func start() throws {
    let (down, up) = (Pipe(), Pipe())
    for pipe in [down, up] {
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    }
    process = try Subprocess(
      ["worker"], environment: ["TORTURE_ERRORS": Paths.errors], input: down.fileHandleForReading.fileDescriptor,
      output: up.fileHandleForWriting.fileDescriptor)
    toWorker = down.fileHandleForWriting
    fromWorker = up.fileHandleForReading
    try down.fileHandleForReading.close()
    try up.fileHandleForWriting.close()
    buffer = Data()
  }

  private func stop() {
    try? toWorker?.close()
    if process?.poll() == nil { process?.signal(SIGKILL) }
    _ = process?.wait(seconds: 1)
    process = nil
  }

  /// The other side: answers until its input ends.
  static func serve() {
    while let line = readLine() {
      let findings: [Finding]
      do {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let kind = Failures.kinds.first(where: { "\($0)" == parts[0] }) else { throw POSIXError(.EINVAL) }
        findings = try JSONDecoder().decode(kind, from: Data(parts[1].utf8)).judge()
      } catch {
        findings = [Finding(kind: "harness", detail: "\(error)")]
      }
      let answer = (try? JSONEncoder().encode(findings)) ?? Data("[]".utf8)
      print(String(decoding: answer, as: UTF8.self))
      fflush(nil)
    }
  }
}
