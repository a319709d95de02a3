import Testing

/// The arrows between targets run one way: command line → libraries → kit → GRDB → SQLite.
@Suite struct ArrowTests {
  static let system: Set<String> = ["Foundation", "Observation", "Glibc", "Darwin", "Musl", "Dispatch"]

  /// What each target may import, beside the system's own modules.
  static let allowed: [String: Set<String>] = [
    "Holdfast": ["GRDB", "GRDBSQLite", "Crypto", "Logging"],
    "HoldfastGRDB": ["Holdfast", "GRDB"],
    "AudiobookLibrary": ["Holdfast", "Logging"],
    "HoldfastTesting": ["Holdfast"],
    "HoldfastCommand": ["Holdfast", "AudiobookLibrary", "ArgumentParser"],
    "HoldfastFuzz": ["Holdfast", "AudiobookLibrary"],
    "Examples": ["Holdfast", "AudiobookLibrary"],
  ]

  @Test("every target imports only what lies below it")
  func importsPointDown() throws {
    var wrong: [String] = []
    for file in try House.sources() {
      let allowed = Self.system.union(try #require(Self.allowed[file.target], "\(file.target) is not in the table of targets"))
      for line in file.code {
        let found = line.firstMatch(of: #/^\s*(?:@\w+ )*(?:(?:public|package|internal|private) )?import (?:(?:struct|func|class|enum) )?(\w+)/#)
        guard let found else { continue }
        let module = String(found.1)
        if !allowed.contains(module) { wrong.append("\(file.path) imports \(module)") }
      }
    }
    #expect(wrong == [])
  }

  @Test("only the door for GRDB shows GRDB to those who import it")
  func noGRDBInPublic() throws {
    let typesOfGRDB = #/\b(?:GRDB\.\w+|Database(?:Pool|Queue|Writer|Reader|Error|Region)?|(?:Fetchable|Persistable)Record)\b/#
    var wrong: [String] = []
    for file in try House.sources() where file.target != "HoldfastGRDB" {
      wrong += file.places(of: #/public import (?:GRDB|Crypto)/#)
      for declaration in file.publicDeclarations where declaration.signature.contains(typesOfGRDB) {
        wrong.append("\(file.path): \(declaration.signature)")
      }
    }
    #expect(wrong == [])
  }

  @Test("Package.swift gives no target a dependency above it")
  func manifestPointsDown() throws {
    let manifest = try House.text("Package.swift")
    var wrong: [String] = []
    for target in manifest.matches(of: #/\.(?:executableT|t)arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?/#) {
      let allowed = try #require(Self.allowed[String(target.1)], "\(target.1) is not in the table of targets")
      for name in (target.2 ?? "").matches(of: #/"([A-Za-z]+)"/#) where !allowed.contains(String(name.1)) {
        wrong.append("\(target.1) depends on \(name.1)")
      }
    }
    #expect(wrong == [])
  }
}
