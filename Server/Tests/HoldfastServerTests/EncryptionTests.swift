import Foundation
import Testing

/// The key of the server's store, as `holdfast` takes it.
@Suite(.serialized) struct EncryptionTests {
  private static let encrypts = ProcessInfo.processInfo.environment["HOLDFAST_ENCRYPTS"] != nil
  private static let key = ["HOLDFAST_KEY": String(repeating: "0123456789abcdef", count: 4)]
  private static let other = ["HOLDFAST_KEY": String(repeating: "fedcba9876543210", count: 4)]

  @Test("where SQLite cannot encrypt, a key is refused, and no store is made: it would be plain", .disabled(if: encrypts))
  func cannotEncrypt() async throws {
    try await Program.run { program in
      for arguments in [["serve", "--listen", "127.0.0.1:0"], ["space", "create", "anna"]] {
        let ended = try await program.run(arguments, environment: Self.key)
        #expect(ended.status == 1 && ended.errors.contains("the SQLite in use cannot encrypt"), "\(ended.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path) == [])
      }
    }
  }

  @Test("what is no key is wrong usage, is not repeated, and makes no plain store", arguments: ["", "secret"])
  func noKey(_ text: String) async throws {
    try await Program.run { program in
      for variable in ["HOLDFAST_KEY", "HOLDFAST_KEY_FD"] {
        let ended = try await program.run(["space", "create", "anna"], environment: [variable: text])
        #expect(ended.status == 64 && ended.errors.hasPrefix("Error: \(variable) "), "\(ended.errors)")
        if variable == "HOLDFAST_KEY", !text.isEmpty { #expect(!ended.errors.contains(text)) }
      }
      #expect(!FileManager.default.fileExists(atPath: program.store.path))
    }
  }

  /// With the SQLite of `make encryption`.
  @Test("an encrypted store serves with its key, is 77 without it and with another one, and has no name in clear", .enabled(if: encrypts))
  func wholeLife() async throws {
    try await Program.run { program in
      #expect(try await program.run(["space", "create", "anna-maria"], environment: Self.key).status == 0)
      let token = try await program.run(["token", "create", "anna-maria"], environment: Self.key).out.trimmingCharacters(in: .newlines)
      let server = try await program.serve(environment: Self.key)
      #expect(try await Client(port: server.port, token: token).pull(space: "anna-maria").status == 200)
      #expect(try await program.run(["backup", "copy.sqlite"], environment: Self.key).status == 0)
      #expect(await server.end(SIGTERM) == 0)
      for name in ["server.sqlite", "copy.sqlite"] {
        #expect(try !Data(contentsOf: program.folder.appendingPathComponent(name)).contains(Data("anna-maria".utf8)))
      }
      let before = try Data(contentsOf: program.store)
      for keys in [[:], Self.other] {
        for arguments in [["serve", "--listen", "127.0.0.1:0"], ["space", "list"], ["check"], ["backup", "second.sqlite"]] {
          let ended = try await program.run(arguments, environment: keys)
          #expect(ended.status == 77 && ended.out.isEmpty, "\(arguments): \(ended.errors)")
        }
      }
      #expect(try Data(contentsOf: program.store) == before)
      #expect(try await program.run(["check"], environment: Self.key).out == "no problems\n")
    }
  }
}
