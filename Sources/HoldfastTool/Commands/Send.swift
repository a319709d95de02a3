import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Send: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends a store's data to its API and takes what the API has, or says what waits to be sent.",
    discussion: """
      \(syncing.map(\.sync.about).joined(separator: " ")) No option takes a key, because others can read \
      command lines. With --status nothing is sent. The exit code is 2 when the server refused something.

      Example: \(Program.name) send inference.sqlite --to https://api.example.com
      Example: \(Program.name) send inference.sqlite --status
      """)

  @Argument(help: "The store whose data are sent.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("The address of the API; https, or http on this computer.", valueName: "url"))
  var to: String?

  @Flag(help: "Say what waits to be sent, and send nothing.")
  var status = false

  @Flag(help: "First queue the rows again that were set aside.")
  var retry = false

  @Option(help: ArgumentHelp("The name by which the server knows this device.", valueName: "id"))
  var device = "holdfast"

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    guard to != nil || status else { throw ValidationError("The address of the API is missing: --to URL. To send nothing: --status.") }
    guard let to else { return }
    guard let address = serverAddress(to), Self.syncing.contains(where: { $0.sync.accepts(address) }) else {
      throw ValidationError(
        // Without the text, which may have a password in it.
        "--to is not the address of an API: give https://… without a user and a query. http is allowed only for this computer.")
    }
    if device.isEmpty { throw ValidationError("--device must not be empty.") }
  }

  func perform(_ console: Console) throws -> Answer {
    var request = SyncRequest(address: status ? nil : to.flatMap(serverAddress), device: device)
    (request.retries, request.environment) = (retry, ProcessInfo.processInfo.environment)
    let described = try libraryToLook(store, library, lock)
    guard let sync = described.sync else {
      let names = Self.syncing.map(\.name).joined(separator: " and ")
      throw StoreError(
        .wrongKind, "a library of \(described.name) has no API to send to",
        suggestion: "Only \(names) stores have one. `\(Program.name) sync` shares a store among your devices.")
    }
    let writes = request.address != nil || retry
    if writes {
      // Refuse a newer store before it is opened for writing.
      try refuseNewer(store, Store.kinds(at: store.url, options: lock.storeOptions), described.schema)
    }
    return try withLibrary(store, library, lock, full: writes) { [request] _, open in
      let interruption = request.address.map { _ in Interruption() }
      func run() throws -> ShownSync {
        try Waiting.result(of: { try await sync.run(request, open) }, until: { interruption?.isRequested == true })
      }
      let result = try interruption == nil ? run() : Activity.show("sending", console, run)
      var answer = Answer(result.shown)
      (answer.notes, answer.foundProblems) = (result.notes.map(DisplayText.printable), result.hasRefusals)
      return answer.about(store)
    }
  }

  private static var syncing: [(name: String, sync: SyncDescription)] {
    Libraries.all.compactMap { library in library.sync.map { (library.name, $0) } }
  }
}

/// An address as typed; nil for what is none, and for one with a user, a password, a query or a fragment.
func serverAddress(_ text: String) -> URL? {
  guard let parts = URLComponents(string: text), parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
  else { return nil }
  return parts.url
}
