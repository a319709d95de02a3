import ArgumentParser
import AudiobookLibrary
import Holdfast

struct Search: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds titles, authors and track names.",
    discussion: """
      Every word must be there, and may be the beginning of a longer one. Case and accents do not matter; Chinese and \
      Japanese words are found inside a sentence. Nothing found is not an error.

      Example: holdfast search library.sqlite "moby dick" --ranked
      """)

  @Argument(help: "The store to search.", completion: .file())
  var store: FilePath

  @Argument(help: "The words to find.")
  var text: String

  @Flag(help: "Best first within each kind. Takes longer.")
  var ranked = false

  @Option(help: "At most so many collections, and so many tracks.")
  var limit = 50

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is a number from 1.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let hits = try withLibrary(store, lock) { try $0.search(text, ranked: ranked, limit: limit) }
    var table = TextTable([.text("KIND"), .text("ID"), .flexible("FOUND"), .flexible("IN")])
    for hit in hits { table.add(cells(hit)) }
    return Answer(
      document: ["store": .string(store.path), "query": .string(text), "ranked": .bool(ranked), "hits": .array(hits.map(json))],
      text: hits.isEmpty ? "" : table.text(width: console.outputWidth), notes: hits.isEmpty ? ["Nothing was found."] : [])
  }

  private func cells(_ hit: SearchHit) -> [String] {
    switch hit {
    case .collection(let id, let title, let author): ["collection", IDCodec.lowercase(id), title, author ?? ""]
    case .track(let id, let name, _, let collectionTitle): ["track", IDCodec.lowercase(id), name, collectionTitle]
    }
  }

  private func json(_ hit: SearchHit) -> JSONValue {
    switch hit {
    case .collection(let id, let title, let author):
      .object(["kind": .string("collection"), "id": .id(id), "title": .string(title), "author": .text(author)])
    case .track(let id, let name, let collectionID, let collectionTitle):
      .object([
        "kind": .string("track"), "id": .id(id), "name": .string(name), "collection_id": .id(collectionID),
        "collection_title": .string(collectionTitle),
      ])
    }
  }
}
