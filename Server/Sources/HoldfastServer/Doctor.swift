internal import ArgumentParser
internal import Foundation
internal import HoldfastDoctor
internal import HoldfastPostgres
internal import HoldfastSyncServer

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks a deployment, and says what is missing and what to do. Exit code 2 with findings.",
    discussion: """
      Prints what it has looked at, then each finding with what to do. It changes nothing; but with --url it makes the space \
      holdfast-doctor in the store, sends its rows through that address as a device does, waits 25 seconds as a poll does, and removes the \
      space. Run it on the machine of the server, and after each change.

      Example: holdfast-server doctor --store postgres://holdfast@db1,db2/holdfast --url https://sync.example.org
      """)

  @OptionGroup var store: StoreArguments
  @Option(help: ArgumentHelp("The address that devices use, to check the proxy, too.", valueName: "address")) var url: String?
  @Option(help: ArgumentHelp("How many servers use the database.", valueName: "n")) var nodes = 2
  @Option(help: ArgumentHelp("A finding that is meant to be so. May be given several times.", valueName: "finding"))
  var accept: [Finding.Kind] = []

  func validate() throws {
    guard 1...1_000 ~= nodes else { throw ValidationError("--nodes is a number from 1.") }
    if let url, URL(string: url)?.host == nil { throw ValidationError("--url is an address: https://sync.example.org") }
  }

  func run() async throws {
    var findings: [Finding] = []
    func tell(_ part: String, _ diagnosis: Diagnosis) {
      print(part, diagnosis.facts, separator: "\t")
      fflush(nil)
      findings += diagnosis.findings
    }
    var isUsable = true
    if store.store.isDatabase {
      let facts = try await PostgresFacts.read(store.store.text)
      tell("database", Diagnosis.database(facts, nodes: nodes, needed: PostgresSpaces.version))
      isUsable = !findings.contains { [.encoding, .tables, .recovery, .rights, .waiting].contains($0.kind) }
    }
    if isUsable {
      try await store.open { spaces in
        if !store.store.isDatabase { tell("file", Diagnosis.file(at: store.store.url)) }
        tell("spaces", try await Diagnosis.spaces(of: spaces))
        guard let address = url.flatMap({ URL(string: $0) }) else { return }
        tell("address", try await Diagnosis.way(to: address, spaces) { Int64(Date().timeIntervalSince1970 * 1_000) })
      }
    }
    findings.removeAll { accept.contains($0.kind) }
    for finding in findings { print("\(finding.kind.rawValue): \(finding.message)\nTry: \(finding.kind.remedy)") }
    if !findings.isEmpty { throw ExitCode(2) }
    print("no findings")
  }
}

extension Finding.Kind: ExpressibleByArgument {}
