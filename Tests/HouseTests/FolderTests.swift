import Foundation
import Testing

@Suite("Folders")
struct FolderTests {
  /// Beside the tests of a target: what they share, read and write.
  private static let shared: Set = ["Support", "Fixtures", "Golden"]
  /// Tests of the repository, and those that run whole programs for a long time.
  private static let others: Set = ["HouseTests", "ProofTests"]

  @Test("tests lie where the sources lie that they are of")
  func mirrored() throws {
    let sources = try Set(House.folders(in: "Sources"))
    for target in try House.folders(in: "Tests") where !Self.others.contains(target) {
      let source = String(target.dropLast("Tests".count))
      #expect(sources.contains(source), "\(target) has no sources")
      var allowed = try Set(House.folders(in: "Sources/\(source)")).union(Self.shared)
      // The kit's own tests use its testing tools, and are those of them.
      if source == "Holdfast" { allowed.insert("Testing") }
      #expect(try Set(House.folders(in: "Tests/\(target)")).subtracting(allowed) == [], "\(target)")
    }
  }
}
