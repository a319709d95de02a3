import Testing

@Suite("The fuzzer")
struct FuzzTests {
  private static let targets = [
    "audiobook-json", "audiobook-sqlite", "music-json", "music-sqlite", "itunes-xml", "m3u", "xspf", "workout-json", "workout-templates",
    "workout-sqlite", "strong-csv", "hevy-csv", "fitnotes-csv", "stronglifts-csv", "fitbod-csv", "jefit-csv", "gymrun-csv",
    "inference-blobs", "inference-grdb", "gguf", "hf-config", "inference-answers", "damaged-stores",
  ]

  @Test("every mistake that is planted is found, and nothing where there is none", arguments: targets)
  func findsFaults(target: String) throws {
    let driver = try Driver.start(["--self-test", "--target", target, "--cases", "150", "--seed", "1"])
    let lines = try driver.lines()
    #expect(lines.filter { !$0.hasPrefix("right: \(target), ") } == [])
    #expect(lines.first == "right: \(target), no fault: nothing found")
    #expect(lines.count > 2)
    #expect(try driver.end() == 0)
  }

  @Test("without a target all of them run, and each says how many cases it had")
  func allTargets() throws {
    let driver = try Driver.start(["--cases", "10", "--seed", "1", "--threads", "1"])
    let summaries = try driver.lines().filter { !$0.hasPrefix(" ") }
    #expect(summaries.map { $0.split(separator: " cases").first.map(String.init) } == Self.targets.map { "\($0), seed 1: 10" })
    #expect(try driver.end() == 0)
  }

  @Test("a target that is not there is a mistake in the command")
  func unknownTarget() throws {
    #expect(try Driver.start(["--target", "nothing"]).end() == 64)
  }
}
