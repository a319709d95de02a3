import Foundation
import Holdfast
import HoldfastMusic

extension MusicCommands {
  func list(_ what: String, limit: Int?, _ console: Console) throws -> Answer {
    let (total, columns, lines) = try library.store.read { reader in try listed(what, limit, reader) }
    let rest = total - lines.count
    return Answer(
      document: ["total": .number(total), what: .array(lines.map(\.json))], text: ShownLine.table(columns, lines, console),
      notes: total == 0 ? ["There are no \(what)."] : rest > 0 ? ["… and \(rest) more."] : [])
  }

  private func listed(_ what: String, _ limit: Int?, _ reader: Reader) throws -> (Int, [TextTable.Column], [ShownLine]) {
    let counts = try MusicStore.counts(in: reader)
    switch what {
    case "artists":
      let lines = try gather(limit, as: ShownLine.init(_:)) { try MusicStore.artists(after: $0, limit: $1, in: reader) }
      return (counts.artists, ShownLine.artistColumns, lines)
    case "playlists":
      let folders = try reader.values("SELECT id, name FROM collections WHERE is_folder") { row in (try row.id(), try row.text()) }
      let names = Dictionary(folders, uniquingKeysWith: { first, _ in first })
      func line(_ list: PlaylistSummary) -> ShownLine { ShownLine(list, folder: list.parentID.flatMap { names[$0] }) }
      let lines = try gather(limit, as: line) { try MusicStore.playlistSummaries(after: $0, limit: $1, in: reader) }
      return (counts.playlists + counts.folders, ShownLine.playlistColumns, lines)
    case "tracks":
      let lines = try gather(limit, as: ShownLine.init(_:)) { try MusicStore.tracks(.byTitle, after: $0, limit: $1, in: reader) }
      return (counts.tracks, ShownLine.trackColumns, lines)
    default:
      let lines = try gather(limit, as: ShownLine.init(_:)) { try MusicStore.albums(after: $0, limit: $1, in: reader) }
      return (counts.albums, ShownLine.albumColumns, lines)
    }
  }
}
