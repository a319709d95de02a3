import Foundation
import Testing

@Suite("Mutants")
struct MutantTests {
  @Test("every mutant of the table was killed by a test that exists")
  func killersExist() throws {
    let paths = try ["Tests", "Server/Tests", "Mutants/Harness"].flatMap { try House.files(in: $0) }
    let tests = try paths.reduce(into: Set<String>()) { texts, path in
      texts.formUnion(try House.text(path).components(separatedBy: "\""))
    }
    let rows = try House.text("Mutants/KILLED.md").components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    #expect(!rows.isEmpty)
    // A row: the mutant, what it breaks, the test's name, the file's digest.
    let unproven = rows.filter { row in
      let cells = row.components(separatedBy: " | ")
      return cells.count != 4 || !tests.contains(cells[2])
    }
    #expect(unproven == [], "Mutants/run --missing --write Mutants/KILLED.md tries these again")
  }

  @Test("the text that a mutant replaces stands exactly once in its file")
  func textsStand() throws {
    let lines = try House.text("Mutants/mutants.txt").components(separatedBy: "\n").filter { !$0.hasPrefix("#") }
    let mutants = lines.split(separator: "").map { Array($0) }
    #expect(mutants.count > 200)
    let lost = try mutants.filter { mutant in
      // The id, the file, and perhaps the ground.
      guard let file = mutant[0].split(separator: " ").dropFirst().first else { return true }
      let text = mutant.filter { $0.hasPrefix("-") }.map { String($0.dropFirst(2)) }.joined(separator: "\n")
      return try House.text(String(file)).components(separatedBy: text).count != 2
    }
    #expect(lost.map { $0[0] } == [], "change the text in Mutants/mutants.txt with the code")
  }
}
