import ArgumentParser
import Foundation
import Holdfast

/// What the three commands that change a store's key have in common.
struct KeyChangeOptions: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("What becomes of the file and the snapshots of before.", valueName: "keep|remove"))
  var formerFiles: Fate

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  fileprivate func perform(_ verb: String, _ console: Console, _ change: (StoreOptions) throws -> EncryptionReport) throws -> Answer {
    let fate = formerFiles == .keep ? "are kept in the quarantine folder" : "are removed"
    // The history goes with it.
    let hasArchive = (try? Archive(of: store.url, options: LockOptions.defaults)) != nil
    let archive = hasArchive ? " Its archive begins anew: the earlier commits \(fate), too." : ""
    try Confirmation.ask("\(verb) \(store) and its snapshots. The files of before \(fate).\(archive)", yes: yes, console)
    let report = try Activity.show("writing anew", console) { try change(SnapshotList(store: store, place: place, lock: lock).options) }
    let facts: FactList = [
      "store": store.path, "rows": "\(report.rows)", "snapshots": "\(report.snapshots) written anew",
      "archive": report.beginsArchiveAnew ? "begins anew at the next opening" : nil, "kept as": report.kept?.path,
    ]
    return Answer(
      document: [
        "store": .string(store.path), "rows": .number(report.rows), "snapshots": .number(report.snapshots),
        "begins_archive_anew": .bool(report.beginsArchiveAnew), "kept_folder": .text(report.kept?.path),
        "left": .texts(report.left.map(\.path)),
      ],
      text: facts.text, notes: report.left.map { "can still be read as before, and may hold rows that nothing else has: \($0.path)" },
      foundProblems: !report.left.isEmpty)
  }

  fileprivate func newKey() throws -> StoreKey {
    guard let key = try CommandKey.new.get() else {
      throw ValidationError("\(CommandKey.newVariable) is not set. \(CommandKey.help), for example from `openssl rand -hex 32`. Keep it.")
    }
    return key
  }
}

enum Fate: String, ExpressibleByArgument, CaseIterable {
  case keep, remove

  fileprivate var kit: FormerFiles { self == .keep ? .keep : .remove }
}

struct Encrypt: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Encrypts a store and its snapshots.",
    discussion: """
      \(CommandKey.help), in the environment variable \(CommandKey.newVariable), or in a file descriptor whose number is in \
      \(CommandKey.newVariable)_FD. Whoever loses the key loses the store. Close the app before. Works on copies, compares every row, and \
      only then replaces the files. After that every command needs the key in \(CommandKey.variable) or \(CommandKey.variable)_FD. Needs \
      a SQLite that encrypts, see Encryption.md.

      Example: \(Program.name) encrypt library.sqlite --former-files remove
      """)

  @OptionGroup var change: KeyChangeOptions
  var output: OutputOptions { change.output }

  func perform(_ console: Console) throws -> Answer {
    let key = try change.newKey()
    return try change.perform("This encrypts", console) { options in
      try Store.encrypt(at: change.store.url, with: key, plainFiles: change.formerFiles.kit, options: options)
    }
  }
}

struct Rekey: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Encrypts an encrypted store and its snapshots with another key.",
    discussion: """
      The present key is in the environment variable \(CommandKey.variable), the new one in \(CommandKey.newVariable); \
      \(CommandKey.variable)_FD and \(CommandKey.newVariable)_FD name file descriptors instead. Close the app before. Works on copies, \
      compares every row, and only then replaces the files.

      Example: \(Program.name) rekey library.sqlite --former-files remove
      """)

  @OptionGroup var change: KeyChangeOptions
  var output: OutputOptions { change.output }

  func perform(_ console: Console) throws -> Answer {
    let key = try change.newKey()
    return try change.perform("This encrypts with the new key", console) { options in
      try Store.rekey(at: change.store.url, to: key, formerFiles: change.formerFiles.kit, options: options)
    }
  }
}

struct Decrypt: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Decrypts a store and its snapshots.",
    discussion: """
      The key is in the environment variable \(CommandKey.variable), or in a file descriptor whose number is in \(CommandKey.variable)_FD. \
      Close the app before. Works on copies, compares every row, and only then replaces the files.

      Example: \(Program.name) decrypt library.sqlite --former-files remove
      """)

  @OptionGroup var change: KeyChangeOptions
  var output: OutputOptions { change.output }

  func perform(_ console: Console) throws -> Answer {
    try change.perform("This decrypts", console) { options in
      try Store.decrypt(at: change.store.url, encryptedFiles: change.formerFiles.kit, options: options)
    }
  }
}
