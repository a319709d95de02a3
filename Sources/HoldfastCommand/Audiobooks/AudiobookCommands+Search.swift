import Holdfast
import HoldfastAudiobooks

extension AudiobookCommands {
  func search(_ text: String, ranked: Bool, limit: Int, _ console: Console) throws -> Answer {
    let hits = try library.search(text, ranked: ranked, limit: limit)
    var table = TextTable([.text("KIND"), .text("ID"), .flexible("FOUND"), .flexible("IN")])
    for hit in hits { table.add(cells(hit)) }
    return Answer(
      document: ["query": .string(text), "ranked": .bool(ranked), "hits": .array(hits.map(json))],
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
