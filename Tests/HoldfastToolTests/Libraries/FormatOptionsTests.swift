import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@testable import HoldfastTool

/// A format of a fifth library declares its options, and the command line has them.
@Suite("Options of formats")
struct FormatOptionsTests {
  init() { knowFourLibraries() }

  private enum Films: FormatChoice {
    static let formats = [
      FormatDescription("reel", "a reel", options: [FormatDescription.Option("gauge", "The width of the film.", .words(["8mm", "35mm"]))]),
      FormatDescription("tape", "a tape", options: [.timeZone, .init("gauge", "Not shown.", .words([]))]),
    ]
  }

  @Test("an option is parsed, shown in the help, and refused where its format does not declare it")
  func declared() throws {
    let options = try FormatOptions<Films>.parse(["--gauge", "8MM", "--time-zone=UTC"])
    #expect(options.typed == ["gauge": "8MM", "time-zone": "UTC"])
    #expect(try options.values(among: Films.formats.flatMap(\.options), of: "x") == ["gauge": "8mm", "time-zone": "UTC"])
    #expect(throws: StoreError.self) { try options.values(among: [.timeZone], of: "an import of films") }
    #expect(try FormatOptions<Films>.parse([]).typed == [:])
    let help = FormatOptions<Films>.helpMessage(columns: 200)
    #expect(help.contains("--gauge <8mm|35mm>") && help.contains("The width of the film.") && !help.contains("Not shown."), "\(help)")
    do {
      _ = try FormatOptions<Films>.parse(["--gauge", "9mm"])
      Issue.record("9mm was taken")
    } catch {
      let message = FormatOptions<Films>.message(for: error)
      #expect(message.contains("'9mm' is not a value for --gauge: choose one of 8mm, 35mm."), "\(message)")
    }
  }

  private enum Tapes: FormatChoice {
    static let formats = [
      FormatDescription("reel", "a reel", options: [.init("gauge", "The width of the film.", .words(["8mm"]))]),
      FormatDescription("tape", "a tape", options: [.init("gauge", "The width of the tape.", .words(["VHS"]))]),
    ]
  }

  @Test("of two formats with an option of one name each has its own values, and a value of the other format is refused, not dropped")
  func sameName() throws {
    let options = try FormatOptions<Tapes>.parse(["--gauge", "vhs"])
    let (reel, tape) = (Tapes.formats[0].options, Tapes.formats[1].options)
    #expect(try options.values(among: tape, of: "the format tape") == ["gauge": "VHS"])
    #expect(try options.values(among: reel + tape, of: "an import of films") == ["gauge": "VHS"])
    let error = #expect(throws: StoreError.self) { try options.values(among: reel, of: "the format reel") }
    #expect(error?.code == .wrongKind && error?.message == "the format reel does not allow vhs for --gauge")
    #expect(throws: (any Error).self) { try FormatOptions<Tapes>.parse(["--gauge", "9mm"]) }
  }

  @Test("an import gets the values of all its options: a fifth library's own, and the hints")
  func imported() throws {
    enum Asked: Error { case with([String: String], TimeZone?) }
    var films = LibraryDescription(StoreSchema("films", migrations: []))
    films.readable = [FormatDescription("tape", "a tape", options: [.timeZone])]
    films.importing = { throw Asked.with($0.values, $0.hints.timeZone) }
    let options = try FormatOptions<ReadableFormats>.parse(["--time-zone", "UTC"])
    let request = LibraryImport(from: URL(fileURLWithPath: "/films.tape"), into: URL(fileURLWithPath: "/films.sqlite"))
    do {
      _ = try options.importing(request, films)
      Issue.record("the importer was not asked")
    } catch Asked.with(let values, let timeZone) {
      #expect(values == ["time-zone": "UTC"] && timeZone == TimeZone(identifier: "UTC"))
    }
  }

  @Test("the help of import and export shows each option of each library, and no word of an option stands in the command's own code")
  func rendered() throws {
    let commands: [(any ParsableCommand.Type, [FormatDescription])] = [
      (Import.self, Libraries.readable), (Export.self, Libraries.writable),
    ]
    for (command, formats) in commands {
      let help = RootCommand.helpMessage(for: command, columns: 500)
      for option in formats.flatMap(\.options) { #expect(help.contains("--\(option.name) <") && help.contains(option.help), "\(option)") }
    }
    let sources = Workbench.tests.appendingPathComponent("../../Sources/HoldfastTool").standardizedFileURL
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
    let code = try files.map { try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8) }.joined()
    for option in (Libraries.readable + Libraries.writable).flatMap(\.options) {
      var words = ["--\(option.name)", "\"\(option.name)\"", option.help]
      if case .words(let values) = option.values { words += values.map { "\"\($0)\"" } }
      #expect(words.filter { code.contains($0) } == [], "\(option.name)")
    }
  }
}
