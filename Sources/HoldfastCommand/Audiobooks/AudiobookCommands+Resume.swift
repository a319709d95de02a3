import Holdfast
import HoldfastAudiobooks

extension AudiobookCommands {
  func resume() throws -> Answer {
    let point = try library.resumePoint()
    return Answer(
      document: ["resume": point.map(json) ?? .null], text: point.map(text) ?? "",
      notes: point == nil ? ["Nothing was played yet."] : [])
  }

  private func text(_ point: ResumePoint) -> String {
    var facts = FactList()
    facts.add("collection", point.collectionTitle)
    facts.add("track", point.trackName)
    let length = point.state.duration.map { " of \(DisplayText.length($0))" } ?? ""
    facts.add("at", DisplayText.length(point.state.position) + length)
    facts.add("heard", DisplayText.time(point.state.updatedAt))
    facts.add("id", IDCodec.lowercase(point.trackID))
    return facts.text
  }

  private func json(_ point: ResumePoint) -> JSONValue {
    .object([
      "collection_id": .id(point.collectionID), "collection_title": .string(point.collectionTitle), "track_id": .id(point.trackID),
      "track_name": .string(point.trackName), "position_seconds": .double(point.state.position),
      "duration_seconds": .number(point.state.duration), "updated_at": .time(point.state.updatedAt),
    ])
  }
}
