import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Stats: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a library in numbers.",
    discussion: """
      With bars on a terminal, as numbers alone elsewhere. Of a store of another program, and of a library without numbers of its own: \
      the rows of each table, its bytes with its indexes, for which every page of the file is read, and the newest time in it.

      Example: \(Program.name) stats library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
      Answer(try open.read { try (library.stats ?? library.info)($0) }).about(store)
    }
  }
}
