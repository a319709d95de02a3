import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// After power loss only what was flushed counts: content before its name, and each name with its folder.
@Suite("Flushing")
struct FlushTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String = "mine") throws { try Data(text.utf8).write(to: folder.file(name)) }
  private func text(_ name: String) -> String? { (try? Data(contentsOf: folder.file(name))).map { String(decoding: $0, as: UTF8.self) } }

  @Test("a name that is given is flushed with its folder")
  func place() throws {
    try write("new")
    #expect(
      systemCalls(in: folder) { try DurableFile.place(folder.file("new"), at: folder.file("store")) }.lines == [
        "name new store", "flush .",
      ])
  }

  @Test("a name whose folder cannot be flushed is taken back")
  func placeFails() throws {
    try write("new")
    #expect(systemCalls(in: folder, failing: 1) { try DurableFile.place(folder.file("new"), at: folder.file("store")) }.error != nil)
    #expect(try folder.contents() == ["new"])
  }

  @Test("a file that is replaced: content, names, folder, and only then the old file goes")
  func replace() throws {
    try write("a", "old")
    let calls = systemCalls(in: folder) { try DurableFile.replace(folder.file("a"), with: Data("new".utf8)) }
    #expect(
      calls.lines.prefix(4) == [
        "folder .holdfast-writing", "flush .holdfast-writing/a", "exchange .holdfast-writing/a a", "flush .",
      ])
    #expect(text("a") == "new")
  }

  @Test("a replacement whose folder cannot be flushed leaves the old file")
  func replaceFails() throws {
    try write("a", "old")
    for failing in 1...2 {
      #expect(
        systemCalls(in: folder, failing: Int32(failing)) { try DurableFile.replace(folder.file("a"), with: Data("new".utf8)) }.error != nil)
      #expect(text("a") == "old")
      #expect(try folder.contents() == ["a"])
    }
  }

  @Test("a copy is flushed, then its name; one that fails is not there")
  func copy() throws {
    try write("a")
    for failing in 1...2 {
      #expect(
        systemCalls(in: folder, failing: Int32(failing)) { try DurableFile.copy(folder.file("a"), to: folder.file("b")) }.error != nil)
      #expect(try folder.contents() == ["a"])
    }
    #expect(systemCalls(in: folder) { try DurableFile.copy(folder.file("a"), to: folder.file("b")) }.lines == ["flush b", "flush ."])
  }

  @Test("the name of each new folder is flushed, from the top")
  func folders() {
    #expect(
      systemCalls(in: folder) { try DurableFile.makeFolder(folder.file("a/b")) }.lines == [
        "folder a", "flush .", "folder a/b", "flush a",
      ])
  }

  @Test("setting files aside that fails half-way leaves them where they were")
  func setAside() throws {
    for suffix in ["", "-wal", "-shm"] { try write("store.sqlite" + suffix, suffix) }
    let files = try StoreFiles(folder.file("store.sqlite"))
    var failing: Int32 = 1
    while true {
      let calls = systemCalls(in: folder, failing: failing) {
        _ = try files.setAside(["-wal", "-shm"], because: "a test", at: Date(timeIntervalSince1970: 0))
      }
      guard calls.error != nil else { break }
      for suffix in ["", "-wal", "-shm"] { #expect(text("store.sqlite" + suffix) == suffix, "\(failing): \(calls.lines)") }
      failing += 1
    }
    #expect(failing > 3)
  }

  @Test("a store that is built is flushed before it gets its name")
  func building() throws {
    let files = try StoreFiles(folder.file("store.sqlite"))
    let lines = systemCalls(in: folder) {
      _ = try files.building(.testing) { new in try Data("whole".utf8).write(to: new) }
    }.lines
    let name = try #require(lines.firstIndex(of: "name .holdfast-building/store.sqlite store.sqlite"))
    #expect(lines[..<name].contains("flush .holdfast-building/store.sqlite"))
    #expect(lines[(name + 1)...].first == "flush .")
  }

  @Test("a store is not built of a file and a log")
  func buildingWithALog() throws {
    let files = try StoreFiles(folder.file("store.sqlite"))
    #expect(throws: StoreError.self) {
      try files.building(.testing) { new in
        try Data("half".utf8).write(to: new)
        try Data("half".utf8).write(to: URL(fileURLWithPath: new.path + "-wal"))
      }
    }
    #expect(try folder.contents() == [])
  }
}
