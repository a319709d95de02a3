import Foundation

/// Shows that two contestants loaded the same: counts, the order of the tracks, and sums over the fields that cost time.
struct Checksum: Equatable, Sendable, CustomStringConvertible {
  var collections = 0
  var tags = 0
  var tracks = 0
  var states = 0
  var favorites = 0
  private var textBytes = 0
  private var ids: UInt64 = 0
  private var order: UInt64 = 0
  private var progressMilliseconds: Int64 = 0

  mutating func addCollection(tags: Int, title: Int, updatedAtMilliseconds: Int64) {
    collections += 1
    self.tags += tags
    textBytes += title
    progressMilliseconds &+= updatedAtMilliseconds
    order = order &* 31 &+ 7
  }

  mutating func addTrack(id: UUID, fileSize: Int64, textBytes: Int) {
    tracks += 1
    self.textBytes += textBytes
    ids ^= id.halves.0 ^ id.halves.1
    order = order &* 31 &+ UInt64(bitPattern: fileSize)
  }

  mutating func addState(position: Double, updatedAtMilliseconds: Int64) {
    states += 1
    progressMilliseconds &+= Int64((position * 1000).rounded()) &+ updatedAtMilliseconds
  }

  mutating func addFavorites(_ count: Int) { favorites += count }

  var description: String {
    "\(collections) collections, \(tags) tags, \(tracks) tracks, \(states) states, \(favorites) favourites, "
      + "\(textBytes) bytes, ids \(String(ids, radix: 16)), order \(String(order, radix: 16)), progress \(progressMilliseconds)"
  }
}

extension UUID {
  var halves: (UInt64, UInt64) {
    withUnsafeBytes(of: uuid) { ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
  }
}

extension Date {
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
