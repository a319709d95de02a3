import ArgumentParser
import Holdfast

struct Search: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds what has these words.",
    discussion: """
      Of audiobooks titles, authors and track names; of music tracks by title, artist, album and genre; of an inference \
      store models by name, id, author and tags. \
      Every word must be there, and may be the beginning of a longer one. Case and accents do not matter; Chinese and \
      Japanese words are found inside a sentence. Nothing found is not an error.

      Example: holdfast search library.sqlite "moby dick" --ranked
      """)

  @Argument(help: "The store to search.", completion: .file())
  var store: FilePath

  @Argument(help: "The words to find.")
  var text: String

  @Flag(help: "Best first within each kind. Takes longer.")
  var ranked = false

  @Option(help: "At most so many of each kind.")
  var limit = 50

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is a number from 1.") }
  }

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in
      try library.search(text, ranked: ranked, limit: limit, console).about(store)
    }
  }
}
