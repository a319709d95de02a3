import Foundation
import Testing

@Suite("Folders")
struct FolderTests {
  /// Beside the tests of a target: what they share, read and write.
  private static let shared: Set = ["Support", "Fixtures", "Golden"]
  /// The folders of tests, without those of the repository itself.
  private static func targets() throws -> [String] { try House.folders(in: "Tests").filter { $0 != "HouseTests" } }

  @Test("tests lie where the sources lie that they are of")
  func mirrored() throws {
    let sources = try Set(House.folders(in: "Sources"))
    for target in try Self.targets() {
      let source = String(target.dropLast("Tests".count))
      #expect(sources.contains(source), "\(target) has no sources")
      var allowed = try Set(House.folders(in: "Sources/\(source)")).union(Self.shared)
      // The kit's own tests use its testing tools, and are those of them.
      if source == "Holdfast" { allowed.insert("Testing") }
      #expect(try Set(House.folders(in: "Tests/\(target)")).subtracting(allowed) == [], "\(target)")
    }
  }

  @Test("tests that are named after a source file lie in the folder of that file, however deep")
  func mirroredFiles() throws {
    var matched: Set<String> = []
    for target in try Self.targets() {
      let sources = try House.files(in: "Sources/\(target.dropLast("Tests".count))").map(Place.init)
      // A module has no two files of one name.
      let folders = Dictionary(sources.map { ($0.name, $0.folder) }) { first, _ in first }
      for test in try House.files(in: "Tests/\(target)").map(Place.init) where test.name.hasSuffix("Tests") {
        guard let folder = folders[String(test.name.dropLast("Tests".count))] else { continue }
        matched.insert(target)
        #expect(test.folder == folder, "\(target)/\(test.name)")
      }
    }
    #expect(matched.contains("HoldfastTests"), "no test file was compared")
  }

  /// Where a file lies in its target.
  private struct Place {
    let folder: [Substring]
    let name: String

    /// - Parameter path: such as `Sources/Holdfast/GoingBack/Moment.swift`.
    init(_ path: String) {
      let parts = path.split(separator: "/")
      folder = Array(parts.dropFirst(2).dropLast())
      name = parts.last.map { String($0.dropLast(".swift".count)) } ?? ""
    }
  }
}
