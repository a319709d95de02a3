import ArgumentParser
import Holdfast

struct Show: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows one thing with what is in it.",
    discussion: """
      Of audiobooks a collection or a track, of music an album, an artist, a playlist or a track, of \
      workouts a workout with its sets, an exercise with its history, or a template, of an inference store a model, or a session \
      with its generations. ID is its id, the beginning of an id when no other begins so, or its title or name when nothing else has it.

      Example: holdfast show library.sqlite "Moby Dick"
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @Argument(help: "An id, the beginning of one, a title or a name.")
  var id: String

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in try library.show(id, console).about(store) }
  }
}
