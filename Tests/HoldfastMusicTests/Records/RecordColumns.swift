import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("Record columns") struct RecordColumns {
  @Test("every record reads what it writes, column by column, with and without what may be missing")
  func agree() throws {
    let store = try Store.inMemory(schemas: [MusicStore.schema])
    var random = SeededGenerator(seed: 1)
    let art = MusicArtwork(Data([1, 2, 3]))
    try RecordCheck.verify([ArtworkRow(art)], in: store)
    let (full, bare) = (Sample.full(&random, artwork: art.hash), Sample.track("Bare", &random))
    try RecordCheck.verify([TrackRow(full), TrackRow(bare)], in: store)
    let folder = MusicPlaylist(id: random.id(), name: "Folder", isFolder: true)
    let list = MusicPlaylist(id: random.id(), name: "List", parentID: folder.id, persistentID: "0123456789ABCDEF")
    try RecordCheck.verify([PlaylistRow(folder, at: 1), PlaylistRow(list, at: 2)], in: store)
    try RecordCheck.verify([EntryRow(id: random.id(), of: bare.id, in: list.id, at: 3)], in: store)
  }
}
