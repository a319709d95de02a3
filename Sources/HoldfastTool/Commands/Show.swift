import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Show: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows one record with its contents.",
    discussion: """
      \(Libraries.help { $0.kinds.map(\.name).joined(separator: ", ") }) ID is an id, the beginning of an id if no other id begins so, or \
      a title or name if no other record has it.

      Example: \(Program.name) show library.sqlite "Moby Dick"
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @Argument(help: "An id, the beginning of one, a title or a name.")
  var id: String

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
      try open.read { reader in
        let (kind, found) = try Lookup.one(id, of: library.kinds, in: reader)
        guard let shown = try found.show(reader) else { throw StoreError(.notFound, "there is no \(kind.name) \(found.id)") }
        var answer = Answer(shown)
        answer.document["kind"] = .string(kind.name)
        return answer.about(store)
      }
    }
  }
}
