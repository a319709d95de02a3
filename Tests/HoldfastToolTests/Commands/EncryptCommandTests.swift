import Foundation
import Testing

/// With the SQLite of `make encryption`.
@Suite("Encryption on the command line", .enabled(if: ProcessInfo.processInfo.environment["HOLDFAST_ENCRYPTS"] != nil))
final class EncryptCommandTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
  }

  private static let key = String(repeating: "0123456789abcdef", count: 4)
  private static let other = String(repeating: "fedcba9876543210", count: 4)

  @Test("a store is encrypted, used, gets another key and is decrypted; each command needs the key, and no text of a row is in a file")
  func wholeLife() throws {
    let before = try bench.run("list", store, "tracks", "--json").output
    try bench.run("snapshot", "create", store, status: 0)
    try FileManager.default.removeItem(at: bench.url("library.json"))
    try FileManager.default.removeItem(at: bench.url("library.json.backup"))
    let encrypted = try bench.run(["HOLDFAST_NEW_KEY": Self.key], "encrypt", store, "--former-files", "remove", "--yes", "--json")
    #expect(encrypted.status == 0 && encrypted.document["snapshots"] as? Int == 1, "\(encrypted.output)\(encrypted.errors)")
    let files = try bench.content().filter { $0.key.contains("library.sqlite") }
    #expect(files.count > 1 && files.allSatisfy { $0.value.range(of: Data("CREATE TABLE".utf8)) == nil })
    for command in ["info", "check", "list", "stats", "metrics"] {
      #expect(try bench.run(command, store).status == 77, "\(command) without a key")
      #expect(try bench.run(["HOLDFAST_KEY": Self.other], command, store).status == 77, "\(command) with another key")
      #expect(try bench.run(["HOLDFAST_KEY": Self.key], command, store).status == 0, "\(command)")
    }
    for (keys, status) in [([:], 77), (["HOLDFAST_KEY": Self.other], 77), (["HOLDFAST_KEY": Self.key], 1)] as [([String: String], Int32)] {
      #expect(try bench.run(keys, "sync", store, "--status").status == status, "1: it is not connected to a space")
    }
    #expect(try bench.run(["HOLDFAST_KEY": Self.key], "archive", "begin", store).status == 0)
    for command in [["archive", "status"], ["archive", "verify"], ["archive", "drill"], ["history"]] {
      try bench.run(command + [store], ["HOLDFAST_KEY": Self.key], status: 0)
    }
    for (keys, status) in [([:], 77), (["HOLDFAST_KEY": Self.other], 77), (["HOLDFAST_KEY": Self.key], 0)] as [([String: String], Int32)] {
      for arguments in [["salvage", store, "--to", bench.path("new.sqlite")], ["heal", store, "--yes"], ["query", store, "SELECT 1"]] {
        #expect(try bench.run(arguments, keys).status == status, "\(arguments)")
      }
    }
    let both = ["HOLDFAST_KEY": Self.key, "HOLDFAST_NEW_KEY": Self.other]
    #expect(try bench.run(both, "rekey", store, "--former-files", "keep", "--yes").status == 0)
    try bench.run(["HOLDFAST_KEY": Self.other], "snapshot", "verify", store, status: 0)
    // The former files that were kept can still be read with the former key.
    #expect(try bench.run(["HOLDFAST_KEY": Self.other], "decrypt", store, "--former-files", "remove", "--yes").status == 2)
    #expect(try bench.run("check", store).status == 0)
    #expect(try bench.run("list", store, "tracks", "--json").output == before && before.contains("\"tracks\""))
  }

  @Test("a key comes from a descriptor; what is no key is wrong usage and not repeated; a plain store with a key is 77")
  func keys() throws {
    for text in ["", "secret", Self.key + "0"] {
      let refused = try bench.run(["HOLDFAST_KEY": text], "info", store)
      #expect(refused.status == 64 && (text.isEmpty || !refused.errors.contains(text)), "\(refused.errors)")
    }
    #expect(try bench.run(["HOLDFAST_KEY": Self.key], "info", store).status == 77)
    for number in ["77", ""] { #expect(try bench.run(["HOLDFAST_KEY_FD": number], "info", store).status == 64) }
    try bench.write(Self.key + "\n", to: "key")
    let script = #"""
      cd "$2" && HOLDFAST_NEW_KEY_FD=3 "$1" encrypt library.sqlite --former-files remove --yes 3<key &&
      HOLDFAST_KEY_FD=3 "$1" check library.sqlite 3<key
      """#
    let finished = try bench.shell(script)
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(try bench.run("encrypt", store, "--former-files", "remove", "--yes").status == 64)
  }

  @Test("where the first page is damaged, a snapshot that the key opens proves the key, and is restored")
  func damagedBeginning() throws {
    #expect(try bench.run("snapshot", "create", store).status == 0)
    #expect(try bench.run(["HOLDFAST_NEW_KEY": Self.key], "encrypt", store, "--former-files", "remove", "--yes").status == 0)
    let file = try FileHandle(forUpdating: bench.url("library.sqlite"))
    try file.seek(toOffset: 2_000)
    try file.write(contentsOf: Data("damage".utf8))
    try file.close()
    let key = ["HOLDFAST_KEY": Self.key]
    #expect(try bench.run(key, "check", store).status == 77)
    let list = try bench.run(key, "snapshot", "list", store, "--json")
    let snapshots = try #require(list.document["snapshots"] as? [[String: Any]])
    let id = try #require(snapshots.first?["id"] as? String)
    #expect(try bench.run(["HOLDFAST_KEY": Self.other], "restore", store, "--snapshot", id, "--yes").status == 77)
    try bench.run(key, "restore", store, "--snapshot", id, "--yes", status: 0)
    #expect(try bench.run(key, "check", store).status == 0)
  }
}
