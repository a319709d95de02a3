import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The files of a store")
struct StoreFilesTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
  }

  @Test("files that were set aside have the reason beside them, and are listed newest first")
  func reason() throws {
    let files = try StoreFiles(url)
    for second in 0..<2 {
      try Data("x".utf8).write(to: files.log)
      _ = try files.setAside(["-wal"], because: "number \(second)", at: Date(timeIntervalSince1970: Double(second)))
    }
    let names = try Store.filesSetAside(of: url)
    #expect(names == ["19700101T000001000Z", "19700101T000000000Z"])
    let text = try String(contentsOf: files.quarantine.appendingPathComponent("\(names[0])/reason.txt"), encoding: .utf8)
    #expect(text == "number 1\n")
  }

  @Test("nothing is exported into the folder of the snapshots")
  func exportIntoItself() throws {
    let files = try StoreFiles(url)
    #expect(failure { try files.checkIsNotOwn(files.snapshots.appendingPathComponent("x.json")) }?.code == .misuse)
    #expect(failure { try files.checkIsNotOwn(folder.file("x.json")) } == nil)
    // As a volume spells it that knows one name in capitals and in small letters.
    try folder.store([Shelves.schema]).close()
    try FileManager.default.linkItem(at: url, to: folder.file("STORE.sqlite"))
    #expect(failure { try files.checkIsNotOwn(folder.file("STORE.sqlite")) }?.code == .misuse)
  }
}
