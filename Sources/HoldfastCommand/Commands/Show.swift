import ArgumentParser
import Holdfast

struct Show: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows one collection with its tracks, or one track.",
    discussion: """
      ID is the id of a collection or of a track, the beginning of an id when no other begins so, or a title when no other \
      collection has it.

      Example: holdfast show library.sqlite "Moby Dick"
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @Argument(help: "An id, the beginning of one, or a title.")
  var id: String

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in try library.show(id, console).about(store) }
  }
}
