import ArgumentParser
import Holdfast

struct Resume: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what to continue, and where.",
    discussion: """
      The track that was heard last, and how far. Audiobooks only. Nothing to continue is not an error.

      Example: holdfast resume library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in try library.resume().about(store) }
  }
}
