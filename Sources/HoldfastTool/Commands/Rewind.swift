import ArgumentParser
import Foundation
import Holdfast

struct Rewind: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings the whole store back to a moment of its archive.",
    discussion: """
      The state of that moment is built beside the store and verified, and then replaces the store's content in one transaction: \
      programs that read the store see the old state or the new one. While an app has the store open and archives it, the exit code \
      is 75, at once: close the app, or let it call `Store.rewind(to:)`. The replaced state stays in the archive under a label, which is printed: rewinding \
      to that label undoes this. Of a damaged store the file is replaced, and kept in its quarantine folder. Prints what it will do, \
      and asks on a terminal; elsewhere it needs --yes. \(Moment.words)

      Example: \(Program.name) rewind library.sqlite --to "10 minutes ago" --dry-run
      """)

  @Argument(help: "The store to rewind.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("A moment: the state after the last commit until then.", valueName: "moment"))
  var to: String?

  @OptionGroup var moment: MomentOptions

  @Flag(help: "Say what would come back, be changed and be removed; change no row. Commits that are not archived yet are archived.")
  var dryRun = false

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try wanted() }

  func perform(_ console: Console) throws -> Answer {
    let moment = try wanted()
    _ = try archive(of: store)
    return try GoingBack(store: store, state: .moment(moment), options: lock.storeOptions, isDry: dryRun, yes: yes).answer(console)
  }

  private func wanted() throws -> Moment {
    guard let wanted = try moment.moment(to, "--to", of: store) else {
      throw ValidationError("Give --to MOMENT, --label TEXT or --commit NUMBER.")
    }
    return wanted
  }
}
