import Foundation
import Holdfast
import HoldfastTool

/// The program that overwrites pages of a store behind its back, for `holdfast demo`: a process of its own, as a failing disk would be.
enum DemoDamage {
  private static let pageBytes = 4_096

  /// Runs in that process: overwrites every tenth page but the first, and says how many.
  static func run(_ url: URL, _ console: Console) throws -> Answer {
    // Written without SQLite: the demo's damage.
    let file = try FileHandle(forUpdating: url)
    defer { try? file.close() }
    let pages = try file.seekToEnd() / UInt64(pageBytes)
    var count = 0
    for page in stride(from: UInt64(2), to: pages, by: 10) {
      try file.seek(toOffset: page * UInt64(pageBytes))
      try file.write(contentsOf: Data(repeating: 0xA5, count: pageBytes))
      count += 1
    }
    try console.write("\(count)")
    return Answer(document: [:], text: "")
  }

  /// Runs this program as that other process. Returns how many pages it overwrote.
  static func overwrite(_ url: URL) throws -> Int {
    let (process, output) = try DemoWriter.start("--overwrite-pages", url)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let count = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), count > 0 else {
      throw StoreError(.verificationFailed, "the program that was to overwrite pages ended with \(process.terminationStatus)")
    }
    return count
  }
}
