import ArgumentParser
import Holdfast

struct Label: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Gives the present state of a store a name, in its archive.",
    discussion: """
      `\(Program.name) rewind STORE --label TEXT` brings that state back. Of several labels with the same text the newest counts. Where an app \
      has the store open and archives it, the app writes the label, within two seconds.

      Example: \(Program.name) label library.sqlite "before the move"
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Argument(help: "The name, for people.")
  var text: String

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1_000).contains(text.utf8.count) else { throw ValidationError("A label is a text of 1 to 1000 bytes.") }
  }

  func perform(_ console: Console) throws -> Answer {
    _ = try archive(of: store)
    let open = try openWhole(store, lock)
    // The label is written; an error of closing does not undo it.
    defer { try? open.close() }
    // Archives what other programs have committed.
    _ = try open.archive()
    try open.label(text)
    return Answer(document: ["store": .string(store.path), "label": .string(text)], text: "labelled \(DisplayText.printable(text))\n")
  }
}
