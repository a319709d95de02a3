import Foundation
import Holdfast
import HoldfastAudiobooks

/// A new book, changed in small steps and as a whole.
func saving(_ library: AudiobookLibrary) async throws {
  // snippet: save
  let newID = NewID.v7
  var book = AudiobookCollection(
    id: newID(), title: "三体", author: "刘慈欣", createdAt: Date(), source: .baiduNetdisk(folderPath: "/有声书/三体", tokenScope: "netdisk"),
    tracks: (1...3).map { number in
      AudiobookTrack(
        id: newID(), displayName: "Chapter \(number)", filename: "00\(number).mp3",
        location: .baidu(fsID: Int64(number), path: "/有声书/三体/00\(number).mp3"), duration: 1832.5, trackNumber: number)
    })
  try await library.save(book)

  // Only what changed is written: here one row.
  book.tracks[0].displayName = "Prologue"
  try await library.save(book)
  // end

  // snippet: small-verbs
  try await library.renameCollection(book.id, to: "The Three-Body Problem")
  try await library.moveTrack(book.tracks[2].id, before: book.tracks[0].id)
  try await library.setFavorite(true, track: book.tracks[0].id)
  try await library.addTag("sci-fi", to: book.id)
  // end
}

/// Several verbs in one transaction: all of it, or nothing.
func replaceBook(_ old: UUID, with new: AudiobookCollection, in library: AudiobookLibrary) async throws {
  // snippet: one-transaction
  try await library.store.write { tx in
    _ = try AudiobookLibrary.deleteCollection(old, in: tx)
    try AudiobookLibrary.save(new, in: tx)
  }
  // end
}
