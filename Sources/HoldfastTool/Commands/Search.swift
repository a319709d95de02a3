import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Search: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds records that contain these words.",
    discussion: """
      \(Libraries.help(\.searched)) Every word must be there, and may be the beginning of a longer one. Case and accents do not matter; \
      Chinese and Japanese words are found inside a sentence. In a store of another program: its search indexes. Nothing found is not an error.

      Example: \(Program.name) search library.sqlite "moby dick" --ranked
      """)

  @Argument(help: "The store to search.", completion: .file())
  var store: FilePath

  @Argument(help: "The words to find.")
  var text: String

  @Flag(help: "Best first within each kind. Takes longer.")
  var ranked = false

  @Option(help: "The most hits of each kind.")
  var limit = 50

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is a number from 1.") }
  }

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
      if library.search == nil { try library.checkKnown(store) }
      let (hits, tables) = try open.read { try library.search?(text, ranked, limit, $0) ?? ([], []) }
      return Answer(
        document: ["query": .string(text), "ranked": .bool(ranked), "hits": .array(hits)], blocks: tables,
        notes: hits.isEmpty ? ["Nothing was found."] : []
      ).about(store)
    }
  }
}
