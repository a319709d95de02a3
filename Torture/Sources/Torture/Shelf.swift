import Foundation
import Holdfast
import HoldfastAudiobooks

/// The library of the damaged stores: that of the harness for the verbs, audiobooks for the command line tool, which knows only its own.
enum DamagedLibrary: String, Codable, Sendable {
  case batches, audiobooks

  var schema: LibrarySchema { self == .batches ? Library.old : AudiobookLibrary.schema }

  func save(_ number: Int, seed: UInt64, in transaction: LibraryTransaction) throws {
    let batch = Batch(number: number, seed: seed)
    switch self {
    case .batches: try Library.save(batch, in: transaction)
    case .audiobooks: try AudiobookLibrary.save(Self.book(batch, seed: seed), in: transaction)
    }
  }

  private static func book(_ batch: Batch, seed: UInt64) -> AudiobookCollection {
    var random = Chance(seed &* 31 &+ UInt64(batch.number))
    func id() -> UUID {
      let (one, two) = (random.next(), random.next())
      return withUnsafeBytes(of: (one, two)) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
    return AudiobookCollection(
      id: id(), title: batch.lines[0], author: "Author \(batch.number)", createdAt: Date(timeIntervalSince1970: Double(batch.number)),
      source: .external(description: "torture"),
      tracks: batch.lines.enumerated().map { place, line in
        AudiobookTrack(
          id: id(), displayName: line, filename: "\(place).mp3", location: .external(url: "file:///\(place).mp3"), trackNumber: place + 1)
      })
  }
}
