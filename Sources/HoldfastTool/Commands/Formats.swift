import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Formats: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the formats that can be imported and exported, by library.",
    discussion: """
      A source's format and version are recognised by its content, not by its name.

      Example: \(Program.name) formats
      """)

  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    let columns: [ShownColumn] = [.text("LIBRARY"), .text("FORMAT"), .text("IMPORT"), .text("EXPORT"), .flexible("WHAT")]
    let rows = Libraries.all.flatMap { library in
      let (readable, writable) = (library.readable.map(\.name), library.writable.map(\.name))
      return (library.readable + library.writable.filter { !readable.contains($0.name) }).map { format in
        [
          library.name, format.name, readable.contains(format.name) ? "yes" : "", writable.contains(format.name) ? "yes" : "", format.what,
        ]
      }
    }
    return Answer(document: ["readable": list(\.readable), "writable": list(\.writable)], blocks: [.table(columns, rows)])
  }

  private func list(_ formats: (LibraryDescription) -> [FormatDescription]) -> JSONValue {
    .array(
      Libraries.all.flatMap { library in
        formats(library).map { .object(["library": .string(library.name), "name": .string($0.name), "what": .string($0.what)]) }
      })
  }
}
