import ArgumentParser
import Holdfast

struct Stats: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a library in numbers.",
    discussion: """
      With bars on a terminal, as numbers alone elsewhere.

      Example: holdfast stats library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in try library.stats(console).about(store) }
  }
}
