import Foundation
import Testing

@testable import Holdfast

/// What is public says what it promises.
@Suite struct DocumentationTests {
  /// What a protocol of the standard library or Foundation asks for: its documentation is inherited.
  static let inherited: Set<String> = [
    "AsyncIterator", "Element", "description", "encode", "errorDescription", "failureReason", "hash", "makeAsyncIterator", "next",
    "recoverySuggestion", "appendLiteral", "init(stringLiteral", "init(stringInterpolation", "init(literalCapacity", "==", "<",
  ]

  @Test("every public symbol has a doc comment, or is an overload of one that has")
  func publicSymbolsAreDocumented() throws {
    var bare: [String] = []
    for file in try House.sources() {
      let declarations = file.publicDeclarations
      for declaration in declarations where !declaration.hasDocComment && !Self.isInherited(declaration) {
        let isOverload = declarations.contains {
          $0.hasDocComment && $0.name == declaration.name && $0.scope == declaration.scope && declaration.signature.contains("func ")
        }
        if !isOverload { bare.append("\(file.path): \(declaration.signature)") }
      }
    }
    #expect(bare == [])
  }

  @Test("in the four libraries every public function has a sentence of its own", arguments: VerbTests.libraries.map(\.0))
  func ownSentences(_ module: String) throws {
    let bare = try House.sources().filter { $0.target == module }.flatMap { file in
      file.publicDeclarations.filter { !$0.hasDocComment && !Self.isInherited($0) }.map { "\(file.path): \($0.signature)" }
    }
    #expect(bare == [])
  }

  @Test("the scanner sees what lacks a comment, and takes an overload for documented")
  func scannerWorks() {
    let file = SourceFile(
      path: "Sources/Kit/A.swift",
      text: """
        /// A thing.
        public struct Thing {
          public var size: Int
          /// Saves.
          public func save(
            _ value: Int
          ) throws {}
          @discardableResult
          public func save(_ value: Int) async throws -> Bool { true }
          private func hidden() {}
        }
        """)
    #expect(
      file.publicDeclarations.map { "\($0.scope).\($0.name) \($0.hasDocComment)" }
        == [".Thing true", "Thing.size false", "Thing.save true", "Thing.save false"])
  }

  @Test("README has at most 1,200 words, CHANGELOG 1,500, the commands 9,300, all other documents but the decisions 45,000, as wc counts")
  func documentsAreShort() throws {
    func words(_ path: String) throws -> Int { try House.text(path).split(whereSeparator: \.isWhitespace).count }
    #expect(try words("README.md") <= 1_200)
    #expect(try words("CHANGELOG.md") <= 1_500)
    #expect(try words("Documentation/CommandLine.md") <= 9_300)
    let pages = try House.files(in: "Documentation", extension: "md").filter { !$0.hasPrefix("Documentation/Decisions/") }
    let documents = ["README.md", "CHANGELOG.md"] + pages.filter { $0 != "Documentation/CommandLine.md" }
    #expect(try documents.map(words).reduce(0, +) <= 45_000)
  }

  @Test("the dependency that the README shows has the package's name, so that a checkout in a folder of any name works")
  func dependencyHasAName() throws {
    let name = try #require(House.text("Package.swift").firstMatch(of: #/= Package\(\s+name: "([^"]+)"/#)).1
    let readme = try House.text("README.md")
    #expect(readme.contains(".package(name: \"\(name)\", path: ") && readme.contains("package: \"\(name)\")"))
  }

  @Test("every reason of a gap in an archive is explained, with what to do")
  func gapsAreExplained() throws {
    let page = try House.text("Documentation/WhenThingsGoWrong.md")
    #expect(ArchiveGap.allCases.map(\.rawValue).filter { !page.contains("\n| \($0) | ") } == [])
  }

  @Test("every error code is explained, with what to do")
  func errorCodesAreExplained() throws {
    let rows = try House.text("Documentation/Errors.md").components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    let explained = rows.compactMap { $0.firstMatch(of: #/^\| `(\w+)`/#).map { String($0.1) } }
    #expect(Set(explained) == Set(StoreError.Code.allCases.map(\.rawValue)))
    #expect(explained.count == Set(explained).count, "a code is explained twice")
    let cells = rows.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty } }
    #expect(cells.filter { $0.count < 4 } == [], "each row says the code, when, what to do, the exit code")
  }

  @Test("every decision says the problem, the choice, what was rejected and what would change it")
  func decisionsAreWhole() throws {
    let parts = ["## Problem", "## Choice", "## Rejected", "## What would change our mind"]
    let decisions = try House.files(in: "Documentation/Decisions", extension: "md")
    #expect(decisions.count >= 7)
    var wrong: [String] = []
    for path in decisions {
      let text = try House.text(path)
      wrong += parts.filter { !text.contains($0) }.map { "\(path) lacks \($0)" }
    }
    #expect(wrong == [])
  }

  @Test("a link between the documents leads to a file")
  func linksLeadSomewhere() throws {
    let documents = try ["README.md", "CHANGELOG.md", "Benchmarks/README.md"] + House.files(in: "Documentation", extension: "md")
    var broken: [String] = []
    for path in documents {
      let folder = House.root.appendingPathComponent(path).deletingLastPathComponent()
      for link in try House.text(path).matches(of: #/\]\(([^)#:\s]+)(?:#[^)]*)?\)/#) {
        let target = folder.appendingPathComponent(String(link.1)).standardizedFileURL
        if !FileManager.default.fileExists(atPath: target.path) { broken.append("\(path) → \(link.1)") }
      }
    }
    #expect(broken == [])
  }

  @Test("the catalogue of each library lists every public type of it once, and the site of packages is told of each")
  func cataloguesAreWhole() throws {
    let libraries = try House.text("Package.swift").matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) }
    #expect(libraries.count >= 8)
    for library in libraries {
      let catalogue = try House.text("Sources/\(library)/Documentation.docc/\(library).md")
      let listed = catalogue.matches(of: #/\n- ``(\w+)``/#).map { String($0.1) }
      let types = try House.sources().filter { $0.target == library }.flatMap { NameTests.types(of: $0) }
      #expect(listed.sorted() == types.sorted(), "\(library)")
    }
    for path in [".spi.yml", "Makefile", "DocC/Package.swift"] {
      let text = try House.text(path)
      #expect(libraries.filter { !text.contains($0) } == [], "\(path)")
    }
  }

  @Test("each promise names a test that is there", arguments: [("README.md", 8), ("Documentation/Promises.md", 18)])
  func promisesAreKept(_ page: String, _ atLeast: Int) throws {
    let promises = try House.text(page).components(separatedBy: "\n").filter { $0.hasPrefix("| ") && $0.hasSuffix("* |") }
    let tests = try ["Tests", "Fuzz/Tests"].flatMap { try House.files(in: $0) }.map(House.text).joined()
    let names = promises.compactMap { $0.split(separator: "*").dropFirst().first.map(String.init) }
    #expect(names.count >= atLeast)
    #expect(names.filter { !House.has("\"\($0)\"", in: tests) } == [])
  }

  @Test("the two commands that the README begins with are in the Makefile, and CI runs the second")
  func commandsExist() throws {
    let commands = try House.text("README.md").matches(of: #/\bmake ([a-z-]+)/#).map { String($0.1) }
    let makefile = try House.text("Makefile")
    #expect(commands.prefix(2) == ["run", "test"])
    #expect(commands.filter { !makefile.contains("\n\($0):") } == [])
    #expect(try House.text(".ci/run").hasSuffix("make test\n"), "the test runner's summary is the last thing that CI prints")
  }

  @Test("`make proof` runs the long form of each test that has one")
  func proofRunsAll() throws {
    let line = try House.text("Makefile").split(separator: "\n").first { $0.contains("HOLDFAST_PROOF=long") && $0.contains("--filter '") }
    let filter = try #require(line?.split(separator: "'").dropFirst().first).split(separator: "|")
    let long = try House.files(in: "Tests").filter { file in
      try ["ProofRun." + "isLong", "@Te" + "st("].allSatisfy { House.has($0, in: try House.text(file)) }
    }
    .map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
    #expect(long.count > 15 && long.filter { suite in !filter.contains { suite.contains($0) } } == [])
  }

  @Test("`make install` uses only what the `install` of macOS has, too")
  func installIsPortable() throws {
    let commands = try House.text("Makefile").components(separatedBy: "\n").filter { $0.hasPrefix("\tinstall ") }
    #expect(commands.map { $0.split(separator: " ")[1] } == ["-d", "-m"])
  }

  private static func isInherited(_ declaration: PublicDeclaration) -> Bool {
    inherited.contains(declaration.name)
      || inherited.contains { $0.hasPrefix("init(") && declaration.signature.contains($0) }
  }
}
