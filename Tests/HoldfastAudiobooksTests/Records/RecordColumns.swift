import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastAudiobooks

@Suite("Record columns") struct RecordColumns {
  @Test("every record reads what it writes, column by column, with and without what may be missing")
  func agree() throws {
    let store = try Store.inMemory(schemas: [AudiobookLibrary.schema])
    var random = SeededGenerator(seed: 60)
    var book = Sample.collection("三体", author: "刘慈欣", tracks: ["序章"])
    book.description = "A book"
    book.cover = CollectionCover(.image(relativePath: "a.jpg"), dominantColorHex: "#000001")
    book.updatedAt += 1
    book.lastPlayedTrackID = random.id()
    let bare = Sample.collection("Bare", tracks: ["One"], seed: 2)
    try RecordCheck.verify([CollectionRow(book), CollectionRow(bare)], in: store)

    var track = book.tracks[0]
    (track.fileSize, track.duration, track.trackNumber, track.checksum) = (1, 2.5, 3, "sum")
    track.originalID = random.id()
    var empty = bare.tracks[0]
    empty.duration = nil
    try RecordCheck.verify([TrackRow(track, in: book.id, at: 4), TrackRow(empty, in: bare.id, at: -1)], in: store)

    let states = [
      PlaybackState(position: 1, duration: 2, updatedAt: book.createdAt), PlaybackState(position: 0, updatedAt: book.updatedAt),
    ]
    try RecordCheck.verify(states.map { PlaybackRow($0, of: track.id, in: book.id) }, in: store)
    try RecordCheck.verify([book.createdAt, nil].map { FavoriteRow(Favorite(favoritedAt: $0), of: track.id, in: book.id) }, in: store)
    try RecordCheck.verify([TagRow("tag", of: book.id, at: 5)], in: store)
  }
}
