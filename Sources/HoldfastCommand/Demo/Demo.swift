import ArgumentParser
import Foundation
import Holdfast
import HoldfastTool

struct Demo: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Loses a sample library in four ways, and brings it back in front of you.",
    discussion: """
      In a temporary folder, which is removed: a collection is deleted, an import of a bad file overwrites everything, a program \
      is killed in the middle of a write, and pages of the file are overwritten while the app runs. After each, all rows are compared with those before. Takes less than a minute; the exit code \
      is 1 when anything is lost.

      Example: holdfast demo
      """)

  // The program that is killed, and the one that overwrites pages, are this one, started with one of these options.
  @Option(help: .hidden)
  var writeUntilKilled: String?
  @Option(help: .hidden)
  var overwritePages: String?

  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    if let writeUntilKilled { return try DemoWriter.run(URL(fileURLWithPath: writeUntilKilled), console) }
    if let overwritePages { return try DemoDamage.run(URL(fileURLWithPath: overwritePages), console) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let accidents = try DemoRun(folder.appendingPathComponent("library.sqlite")) { line in
      if !output.json { try console.write(line) }
    }.accidents()
    let lost = accidents.reduce(0) { $0 + $1.lost }
    guard lost == 0 else {
      throw StoreError(.verificationFailed, "\(lost) collections did not come back as they were: please report this")
    }
    return Answer(
      document: ["accidents": .array(accidents.map(\.document))], text: output.json ? "" : "\nEverything came back, row for row.\n")
  }
}
