import ArgumentParser
import AudiobookLibrary
import Holdfast

struct Formats: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the formats that can be imported and exported.",
    discussion: """
      A source's format and version are recognised by its content, not by its name.

      Example: holdfast formats
      """)

  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    var table = TextTable([.text("FORMAT"), .text("IMPORT"), .text("EXPORT"), .text("WHAT")])
    let readable = AudiobookLibrary.readableFormats
    let writable = AudiobookLibrary.writableFormats
    for format in readable {
      table.add([format.name, "yes", writable.contains { $0.name == format.name } ? "yes" : "", format.what])
    }
    for format in writable where !readable.contains(where: { $0.name == format.name }) {
      table.add([format.name, "", "yes", format.what])
    }
    return Answer(document: ["readable": list(readable), "writable": list(writable)], text: table.text(width: console.outputWidth))
  }

  private func list(_ formats: [(name: String, what: String)]) -> JSONValue {
    .array(formats.map { .object(["name": .string($0.name), "what": .string($0.what)]) })
  }
}
