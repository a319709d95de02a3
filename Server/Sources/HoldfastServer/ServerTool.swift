internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastPostgres
internal import Logging

/// `holdfast-server`: serves the spaces of one store or database, and looks after them.
@main
struct ServerTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast-server",
    abstract: "Keeps the spaces through which a person's devices sync.",
    discussion: """
      Data go to standard output, everything else to standard error. Every command may run while a server has the store open. The key of \
      an encrypted store is in the environment variable HOLDFAST_KEY, or in a file descriptor whose number is in HOLDFAST_KEY_FD. The \
      password of a database is best in PGPASSWORD or ~/.pgpass: others can see a command's arguments.

      Exit codes: 0 fine; 1 failed; 2 checked, and problems were found; 64 wrong usage; 65 damaged or invalid data; \
      66 no such file, space or token; 69 no database; 73 cannot create; 74 I/O or disk full; 75 busy, try again; 77 wrong key or password.

      Example: holdfast-server serve --store server.sqlite
      """,
    subcommands: [
      Serve.self, SpaceCommand.self, TokenCommand.self, Check.self, Backup.self, Move.self, EpochCommand.self, Migrate.self,
      Doctor.self,
    ])

  static func main() async {
    // A device that goes away must fail the write, and not end the process.
    signal(SIGPIPE, SIG_IGN)
    StoreKey.forbidCoreDumps()
    LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      Foundation.exit(report(error))
    }
  }

  private static func report(_ error: any Error) -> Int32 {
    let failure: Failure
    switch error {
    case let error as Failure: failure = error
    case let error as StoreError: failure = Failure(error)
    case let error as PostgresError: failure = Failure(error)
    case let error as ExitCode: return error.rawValue
    default:
      guard exitCode(for: error) != .success else {
        print(fullMessage(for: error))
        return 0
      }
      guard exitCode(for: error) == .validationFailure else {
        failure = Failure("\(error)", status: 1)
        break
      }
      FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
      return 64
    }
    FileHandle.standardError.write(Data(failure.text.utf8))
    return failure.status
  }
}

/// An error as the command line shows it, in the form of `holdfast`.
struct Failure: Error {
  let message: String
  var suggestion: String?
  let status: Int32

  init(_ message: String, suggestion: String? = nil, status: Int32) {
    (self.message, self.suggestion, self.status) = (message, suggestion, status)
  }

  init(_ error: StoreError) {
    self.init(error.message, suggestion: error.recoverySuggestion, status: Self.status(of: error.code))
  }

  init(_ error: PostgresError) {
    switch error.kind {
    case .unavailable:
      self.init(
        error.message, suggestion: error.suggestion ?? "Check that the database runs and that its address is right, then try again.",
        status: 69)
    case .refused:
      self.init(
        error.message,
        suggestion: error.suggestion ?? "Check the user and the password: in the address, in PGPASSWORD, or in ~/.pgpass.", status: 77)
    case .wrongSchema: self.init(error.message, suggestion: error.suggestion, status: 65)
    case .failed: self.init(error.message, suggestion: error.suggestion, status: 74)
    }
  }

  var text: String { "Error: \(message)\n" + (suggestion.map { "Try: \($0)\n" } ?? "") }

  /// The numbers of `holdfast`: Documentation/CommandLine.md.
  private static func status(of code: StoreError.Code) -> Int32 {
    switch code {
    case .notFound: 66
    case .cannotCreate, .permissionDenied, .readOnly: 73
    case .diskFull, .inputOutput: 74
    case .busy, .deviceLocked: 75
    case .notADatabase, .damaged, .wrongKind, .newerSchema, .decoding, .invalidValue, .constraint, .invalidSource, .newerSource: 65
    case .wrongKey, .keyNeeded, .notEncrypted: 77
    case .cancelled: 130
    default: 1
    }
  }
}
