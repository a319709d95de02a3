import ArgumentParser
import Holdfast

struct Formats: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the formats that can be imported and exported, by library.",
    discussion: """
      A source's format and version are recognised by its content, not by its name.

      Example: holdfast formats
      """)

  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    var table = TextTable([.text("LIBRARY"), .text("FORMAT"), .text("IMPORT"), .text("EXPORT"), .text("WHAT")])
    for library in Libraries.all {
      let readable = library.readableFormats
      let writable = library.writableFormats
      for format in readable {
        table.add([library.name, format.name, "yes", writable.contains { $0.name == format.name } ? "yes" : "", format.what])
      }
      for format in writable where !readable.contains(where: { $0.name == format.name }) {
        table.add([library.name, format.name, "", "yes", format.what])
      }
    }
    return Answer(
      document: ["readable": list { $0.readableFormats }, "writable": list { $0.writableFormats }],
      text: table.text(width: console.outputWidth))
  }

  private func list(_ formats: (any LibraryCommands.Type) -> [Format]) -> JSONValue {
    .array(
      Libraries.all.flatMap { library in
        formats(library).map { format in
          .object(["library": .string(library.name), "name": .string(format.name), "what": .string(format.what)])
        }
      })
  }
}
