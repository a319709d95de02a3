import Foundation
import Testing

/// An app imports Holdfast beside Apple's frameworks and GRDB: a type of ours under one of their names would be ambiguous there.
@Suite struct NameTests {
  static let declarations: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

  @Test("no public type is called like one of a framework that apps import")
  func nothingCollides() throws {
    var theirs: [String: [String]] = [:]
    for line in try House.text("Tests/HouseTests/Fixtures/imported-types.txt").split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.components(separatedBy: ": ")
      try #require(parts.count == 2, "a framework and its names: \(line)")
      for name in parts[1].split(separator: " ") { theirs[String(name), default: []].append(parts[0]) }
    }
    #expect(theirs.count > 900)
    let ours = try House.sources().flatMap { file in Self.types(of: file).map { (file.path, $0) } }
    #expect(ours.count > 150)
    #expect(ours.compactMap { path, name in theirs[name].map { "\(path): \(name) is also in \($0.joined(separator: ", "))" } } == [])
  }

  @Test("no public type is called like a module: that would hide the other names of the module")
  func noTypeHidesAModule() throws {
    let sources = try House.sources()
    let modules = Set(sources.map(\.target))
    #expect(sources.flatMap { Self.types(of: $0) }.filter(modules.contains) == [])
  }

  @Test("the search for types sees those at the top, and nothing else")
  func typesAreSeen() {
    let file = SourceFile(
      path: "Sources/Kit/A.swift",
      text: """
        public struct A<B>: C {
          public struct Inner {}
          public var size: Int
        }
        public final class D: A {}
        public typealias E = A
        struct F {}
        extension A {
          public enum G {}
        }
        public func h(_ class: A) {}
        """)
    #expect(Self.types(of: file) == ["A", "D", "E"])
  }

  /// The public types at the top of a file.
  static func types(of file: SourceFile) -> [String] {
    file.publicDeclarations.filter { declaration in
      let words = declaration.signature.prefix { $0 != ":" && $0 != "(" && $0 != "=" }.split(separator: " ")
      return declaration.scope.isEmpty && !declarations.isDisjoint(with: words) && !words.contains("func")
    }.map { String($0.name.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
  }
}
