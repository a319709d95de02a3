import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The place of a store that has no path")
struct DefaultURLTests {
  @Test("XDG_DATA_HOME counts when it is an absolute path; else it is .local/share in the home folder")
  func environment() {
    func place(_ environment: [String: String]) -> String { Store.dataFolder(environment).path }
    #expect(place(["XDG_DATA_HOME": "/data", "HOME": "/home/ada"]) == "/data")
    for wrong in ["", "data", "~/data"] { #expect(place(["XDG_DATA_HOME": wrong, "HOME": "/home/ada"]) == "/home/ada/.local/share") }
    #expect(place(["HOME": "/home/ada"]) == "/home/ada/.local/share")
    #expect(place([:]) == URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".local/share").path)
  }

  @Test("the program's folder is made for its user alone, and stays as it is when it is there")
  func folder() throws {
    let world = try TemporaryFolder()
    let url = try Store.defaultURL(named: "shelves", of: "reader", in: world.file("share"))
    #expect(url.path == world.file("share/reader/shelves.sqlite").path)
    func mode() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: world.file("share/reader").path)[.posixPermissions] as? Int
    }
    #expect(try mode() == 0o700)
    try Store.open(at: url, schemas: [Shelves.schema], options: .testing).close()
    #expect(chmod(world.file("share/reader").path, 0o755) == 0)
    #expect(try Store.defaultURL(named: "shelves", of: "reader", in: world.file("share")).path == url.path)
    #expect(try mode() == 0o755)
  }

  @Test("a name is a name and no path, and a file in the way is an error", arguments: ["", "a/b", "/"])
  func refused(_ name: String) throws {
    let world = try TemporaryFolder()
    let misuse = #expect(throws: StoreError.self) { try Store.defaultURL(named: name, of: "reader", in: world.url) }
    #expect(misuse?.code == .misuse)
    #expect(try world.contents() == [])
    try Data().write(to: world.file("reader"))
    #expect(throws: StoreError.self) { try Store.defaultURL(named: "shelves", of: "reader", in: world.url) }
  }
}
