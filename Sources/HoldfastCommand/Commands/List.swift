import ArgumentParser
import Holdfast

struct List: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists what a library holds.",
    discussion: """
      Of audiobooks the collections, newest first. Of music albums, artists, playlists or tracks, by name. Of workouts the \
      workouts, newest first, exercises or templates. Of an inference store models, by name, sessions, newest first, preferences, \
      or telemetry: how many events of each type there are.

      Example: holdfast list library.sqlite --limit 20
      Example: holdfast list music.sqlite artists
      """)

  @Argument(help: "The store to list.", completion: .file())
  var store: FilePath

  @Argument(help: "What to list. Default: the first of what the library has.", completion: .list(Libraries.all.flatMap { $0.lists }))
  var what: String?

  @Option(help: "List at most so many. Default: all.")
  var limit: Int?

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    let known = Libraries.all.flatMap { $0.lists }
    if let what, !known.contains(what) {
      throw ValidationError("'\(what)' cannot be listed: choose one of \(known.joined(separator: ", ")).")
    }
  }

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, _ in
      let lists = type(of: library).lists
      guard let what = what ?? lists.first, lists.contains(what) else {
        throw StoreError(
          .wrongKind, "a library of \(type(of: library).name) has no \(what ?? "list")",
          suggestion: "one of \(lists.joined(separator: ", "))")
      }
      return try library.list(what, limit: limit, console).about(store)
    }
  }
}
