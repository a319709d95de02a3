import ArgumentParser
import Foundation
import Holdfast

struct History: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the commits, labels, gaps and snapshots of a store's past, newest last.",
    discussion: """
      Reads the archive and the snapshots' descriptions; the store may be open elsewhere, damaged or gone. Each commit has a number, its \
      time, how many rows it changed, and in which tables; of a commit of another program these are unknown. Without --to, a note tells \
      when the store has commits that are not archived yet. On a terminal the middle of a long run of commits is one line, unless \
      --limit is given. A time with seconds means that whole second: its beginning for --from, its end for --to. \
      The store may be of any library.

      Example: \(Program.name) history library.sqlite --from "1 hour ago"
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("Leave out what is older.", valueName: "time"))
  var from: String?

  @Option(help: ArgumentHelp("Leave out what is newer.", valueName: "time"))
  var to: String?

  @Option(help: "Only the newest entries, at most this many. Default: all.")
  var limit: Int?

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    _ = try range()
  }

  func perform(_ console: Console) throws -> Answer {
    let (from, to) = try range()
    let all = try Snapshot.all(of: store.url, in: place.folder?.url)
    var (events, remarks): ([ArchiveEvent], [String]) = ([], [])
    var waitingCommits = JSONValue.null
    let hasArchive = (try? Archive(of: store.url, options: LockOptions.defaults)) != nil
    do {
      let archive = try archive(of: store)
      events = try archive.history(from: from, to: to)
      if to == nil { (remarks, waitingCommits) = archive.waitingForAnswer }
    } catch let error as StoreError where !hasArchive && !all.isEmpty {
      remarks = ["These are the snapshots: \(error.message)."]
    }
    let snapshots = all.filter { snapshot in
      from.map { snapshot.createdAt >= $0 } ?? true && to.map { snapshot.createdAt <= $0 } ?? true
    }
    let line = TimeLine(events, snapshots, limit: limit)
    let earlier = events.count + snapshots.count - line.entries.count
    let isShortened = console.outputIsTerminal && limit == nil
    return Answer(
      document: [
        "store": .string(store.path), "events": .array(line.entries.map(\.document)),
        "waiting_commits": waitingCommits,
      ],
      text: line.entries.isEmpty ? "" : line.text(width: console.outputWidth, shortens: isShortened),
      notes: remarks + (line.entries.isEmpty ? ["Nothing happened then."] : earlier > 0 ? ["… and \(earlier) earlier."] : []))
  }

  private func range() throws -> (from: Date?, to: Date?) {
    (try from.map { try TimeWords.times($0, for: "--from").lowerBound }, try to.map { try TimeWords.times($0, for: "--to").upperBound })
  }
}
