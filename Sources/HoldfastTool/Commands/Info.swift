import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Info: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a store holds, and how large it is.",
    discussion: """
      Only reads: a store that needs migrations is not migrated.

      Example: \(Program.name) info library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    try finishInterrupted(store, lock.storeOptions)
    let schemas = try Store.kinds(at: store.url, options: lock.storeOptions)
    return try withLibrary(store, library, lock) { library, open in
      let facts = Facts(
        schemas: schemas, known: library, file: try open.statistics(), snapshots: try Snapshot.all(of: store.url).count,
        setAside: try Store.filesSetAside(of: store.url), storage: try open.storage(),
        damage: try Store.damage(of: store.url))
      var list = list(facts)
      let content = try open.read(library.info)
      for case .facts(let lines) in content.blocks { for line in lines { list.add(line.name, line.words) } }
      var document = document(facts)
      document["library"] = .object(content.members)
      return Answer(
        document: document, text: list.text, blocks: [StorageBars.chart(facts.storage)], notes: facts.storage.warning.map { [$0] } ?? []
      ).about(store)
    }
  }

  private struct Facts {
    var schemas: [String: Int]
    var known: LibraryDescription
    var file: StoreStatistics
    var snapshots: Int
    /// Folders with files that were set aside, by name.
    var setAside: [String]
    var storage: StorageUse
    var damage: StoreDamage?

    /// How the file's version compares with the version that this program knows.
    var age: String {
      guard known.isKnown else { return "unknown" }
      let (version, own) = (schemas[known.name] ?? 0, known.schema.version)
      return version == own ? "current" : version < own ? "older" : "newer"
    }
    var quarantined: Int { file.rows["holdfast_quarantine"] ?? 0 }
    var imports: Int { file.rows["holdfast_imports"] ?? 0 }
  }

  private func list(_ facts: Facts) -> FactList {
    var list: FactList = [:]
    list.add("store", store.path)
    list.add("schemas", facts.schemas.sorted { $0.key < $1.key }.map { "\($0.key) version \($0.value)" }.joined(separator: ", "))
    switch facts.age {
    case "older": list.add("version", "older than this program: the next import migrates it, after a snapshot")
    case "unknown": list.add("version", "another program's: the tables can be listed and exported")
    case "newer": list.add("version", "newer than this program, which can only read it")
    default: list.add("version", "current")
    }
    list.add("file", "\(DisplayText.size(facts.file.fileBytes)), log \(DisplayText.size(facts.file.logBytes))")
    list.add("pages", "\(facts.file.pages) of \(facts.file.pageBytes) bytes, \(facts.file.freePages) free")
    if let damage = facts.damage { list.add("damaged", "\(damage.message): \(Program.name) heal \(store.shellWord)") }
    list.add("snapshots", String(facts.snapshots))
    list.add(
      "set aside",
      facts.setAside.isEmpty ? nil : "\(ShownValue.counted(facts.setAside.count, "time")), in \(store).holdfast/quarantine")
    list.add("imports", String(facts.imports))
    list.add(
      "quarantined",
      facts.quarantined > 0
        ? "\(ShownValue.counted(facts.quarantined, "record or field", "records and fields")): \(Program.name) quarantine \(store.shellWord)"
        : nil)
    return list
  }

  private func document(_ facts: Facts) -> [String: JSONValue] {
    [
      "schemas": .numbers(facts.schemas), "version": .string(facts.age),
      "writable": .bool(FileManager.default.isWritableFile(atPath: store.path)),
      "file": .object([
        "bytes": .integer(facts.file.fileBytes), "log_bytes": .integer(facts.file.logBytes), "page_bytes": .number(facts.file.pageBytes),
        "pages": .number(facts.file.pages), "free_pages": .number(facts.file.freePages),
      ]),
      "rows": .numbers(facts.file.rows), "snapshots": .number(facts.snapshots), "damage": .text(facts.damage?.message),
      "set_aside": .texts(facts.setAside),
      "imports": .number(facts.imports), "storage": StorageBars.document(facts.storage),
      "quarantined": .number(facts.quarantined),
    ]
  }
}
