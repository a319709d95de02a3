import Testing

/// The arrows between targets run one way: our program → libraries, and the command line of any library → transfer → store → GRDB → SQLite.
@Suite struct ArrowTests {
  static let system: Set<String> = ["Foundation", "Observation", "Glibc", "Darwin", "Musl", "Dispatch"]

  /// What each target may import, beside the system's own modules.
  static let allowed: [String: Set<String>] = [
    "CHoldfast": [], "CHoldfastCurl": [], "CHoldfastXML": [],
    "Holdfast": ["CHoldfast", "GRDB", "GRDBSQLite", "Crypto", "CryptoKit", "Logging"],
    "HoldfastTransfer": ["Holdfast", "GRDBSQLite", "Logging"],
    "HoldfastGRDB": ["Holdfast", "GRDB"],
    "HoldfastHTTP": ["CHoldfastCurl", "Holdfast"],
    "HoldfastSync": ["Holdfast", "HoldfastHTTP", "Crypto", "CryptoKit"], "HoldfastSyncServer": ["Holdfast", "HoldfastSync"],
    "HoldfastSimulator": ["Holdfast", "HoldfastSync", "HoldfastSyncServer", "HoldfastTesting", "GRDBSQLite"],
    "HoldfastAudiobooks": ["Holdfast", "HoldfastTransfer", "Logging"],
    "HoldfastMusic": ["CHoldfastXML", "Holdfast", "HoldfastTransfer"],
    "HoldfastWorkouts": ["Holdfast", "HoldfastTransfer"],
    "HoldfastInference": ["Holdfast", "HoldfastTransfer", "HoldfastHTTP", "Crypto", "CryptoKit"],
    "HoldfastTesting": ["Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastSyncServer", "GRDBSQLite", "Logging"],
    "HoldfastTool": ["Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastHTTP", "ArgumentParser"],
    "HoldfastCommand": [
      "HoldfastTool", "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference",
      "ArgumentParser",
    ],
    "HoldfastFuzz": [
      "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference", "HoldfastTesting",
    ],
    "ReadingListExample": ["Holdfast", "HoldfastTransfer"],
    "ShelvesExample": ["ReadingListExample", "Holdfast", "HoldfastTransfer"],
    "MovingExample": ["Holdfast", "HoldfastTransfer"],
    "GardenExample": ["Holdfast", "HoldfastTransfer"],
    "garden": ["GardenExample", "HoldfastTool"],
    "Examples": [
      "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference", "HoldfastSync",
      "HoldfastSyncServer",
    ],
  ]

  @Test("every target imports only what lies below it")
  func importsPointDown() throws {
    var wrong: [String] = []
    // The fuzzer is a package of its own.
    let fuzzer = try House.files(in: "Fuzz/Sources").map { SourceFile(path: String($0.dropFirst("Fuzz/".count)), text: try House.text($0)) }
    for file in try House.sources() + fuzzer {
      let allowed = Self.system.union(try #require(Self.allowed[file.target], "\(file.target) is not in the table of targets"))
      for line in file.code where line.contains("import ") {
        // `public import struct Module.Type` names the module last or next to last.
        let words = line.split { $0 == " " || $0 == "." }
        guard let place = words.firstIndex(of: "import"), place <= 2, place + 1 < words.count else { continue }
        let isOneSymbol = ["struct", "class", "enum", "func", "protocol"].contains(words[place + 1]) && place + 2 < words.count
        let module = String(words[isOneSymbol ? place + 2 : place + 1])
        if !allowed.contains(module) { wrong.append("\(file.path) imports \(module)") }
      }
    }
    #expect(wrong == [])
  }

  @Test("only our own program knows the four libraries: its list of them, and its demo, which plays an app")
  func onlyTheProgramKnowsLibraries() throws {
    let files = try House.sources().filter { file in
      file.target == "HoldfastCommand" && file.code.contains { $0.contains(#/import Holdfast(Audiobooks|Music|Workouts|Inference)/#) }
    }
    let commands = files.map(\.path).filter { !$0.hasPrefix("Sources/HoldfastCommand/Demo/") }
    #expect(commands == ["Sources/HoldfastCommand/FourLibraries.swift"])
  }

  @Test("only the door for GRDB shows GRDB to those who import it")
  func noGRDBInPublic() throws {
    let types: Set<Substring> = [
      "GRDB", "Database", "DatabasePool", "DatabaseQueue", "DatabaseWriter", "DatabaseReader", "DatabaseError", "DatabaseRegion",
      "FetchableRecord", "PersistableRecord",
    ]
    var wrong: [String] = []
    for file in try House.sources() where file.target != "HoldfastGRDB" {
      wrong += file.places(of: "public import GRDB", "public import Crypto", "public import CryptoKit")
      for declaration in file.publicDeclarations where !types.isDisjoint(with: declaration.signature.split { !$0.isLetter }) {
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

  @Test("the fuzzer's package depends on this one, and on products that are allowed to it")
  func fuzzerPointsDown() throws {
    let manifest = try House.text("Fuzz/Package.swift")
    #expect(manifest.matches(of: #/\.package\(/#).count == 1 && manifest.contains(#".package(name: "holdfast", path: "..")"#))
    let products = try #require(manifest.firstMatch(of: #/let kit = \[([^\]]*)\]/#)?.1).matches(of: #/"(\w+)"/#).map { String($0.1) }
    #expect(Set(products) == Self.allowed["HoldfastFuzz"])
  }
}
