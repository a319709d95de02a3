import Foundation
import Holdfast
import HoldfastTesting

/// A store as a process leaves it that is killed: the file, and a log with what was committed since it was opened.
struct LeftStore {
  let folder: TemporaryFolder
  let url: URL

  /// - Parameters:
  ///   - before: shelves that are in the file.
  ///   - since: shelves that are only in the log, one transaction each.
  init(before: Int = 1, since: Int = 3) throws {
    let living = try TemporaryFolder()
    let first = try living.store([Shelves.schema])
    for shelf in 0..<before { try first.fill(shelf: 1 + shelf) }
    try first.close()
    let store = try living.store([Shelves.schema])
    for shelf in 0..<since { try store.fill(shelf: 1 + before + shelf) }
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    try living.file("store.sqlite").copyStore(to: url)
    try store.close()
  }

  var log: URL { URL(fileURLWithPath: url.path + "-wal") }

  func open() throws -> Store { try folder.store([Shelves.schema]) }

  /// The files that were set aside, without their folders.
  func quarantine() throws -> [String] {
    try folder.contents().filter { $0.contains("quarantine/") && !$0.hasSuffix("reason.txt") }.map { ($0 as NSString).lastPathComponent }
      .filter { $0.hasPrefix("store.sqlite") }
  }

  /// Flips one bit of a frame of the log, counted from 1, in its page.
  func damageFrame(_ number: Int) throws {
    try Damage.flip(log, at: 32 + (number - 1) * (24 + 4096) + 24 + 100)
  }

  func bytes() throws -> [String: Data] {
    try folder.files().filter { !$0.key.hasSuffix("-shm") }
  }
}
