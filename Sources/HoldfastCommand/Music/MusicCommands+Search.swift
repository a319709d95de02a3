import Holdfast
import HoldfastMusic

extension MusicCommands {
  func search(_ text: String, ranked: Bool, limit: Int, _ console: Console) throws -> Answer {
    let tracks = try library.search(text, ranked: ranked, limit: limit)
    let hits = tracks.map { track in
      JSONValue.object(ShownLine.members(track).merging(["kind": .string("track")]) { own, _ in own })
    }
    return Answer(
      document: ["query": .string(text), "ranked": .bool(ranked), "hits": .array(hits)],
      text: ShownLine.table(ShownLine.trackColumns, tracks.map(ShownLine.init(_:)), console),
      notes: hits.isEmpty ? ["Nothing was found."] : [])
  }
}
