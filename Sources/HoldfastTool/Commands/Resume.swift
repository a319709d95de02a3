import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Resume: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what to continue, and where.",
    discussion: """
      Shows what was begun last, and how far it got. Nothing to continue is not an error.

      Example: \(Program.name) resume library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
      let point = try open.read(library.resume)
      return (point.map(Answer.init) ?? Answer(document: ["resume": .null], notes: ["There is nothing to continue."])).about(store)
    }
  }
}
