import Foundation

struct SeedTrack {
  var id: UUID
  var collection: UUID
  var position: Int
  var displayName: String
  var filename: String
  var locationType: String
  /// A JSON object, keys sorted.
  var locationPayload: String
  /// What the payload holds: a Baidu file id and path, the bytes of a bookmark, or a URL.
  var fileID: Int64
  var path: String
  var fileSize: Int64
  var duration: Double?
  var trackNumber: Int
  var checksum: String?
  var metadata: [String: String]
  /// `metadata` as a JSON object, keys sorted.
  var metadataText: String
  var state: SeedState?
  /// Milliseconds since 1970, as every date here; whole seconds, which is all that `library.json` keeps.
  var favoritedAt: Int64?
}

struct SeedState {
  var position: Double
  var duration: Double?
  var updatedAt: Int64
}

struct SeedCollection {
  var id: UUID
  var title: String
  var author: String?
  var description: String?
  var colorHex: String
  var folder: String
  var createdAt: Int64
  var updatedAt: Int64
  var lastPlayedTrack: UUID?
  var tags: [String]
  var tracks: [SeedTrack]

  var coverPayload: String { "{\"colorHex\":\"\(colorHex)\"}" }
  var sourcePayload: String { "{\"folderPath\":\"\(folder)\",\"tokenScope\":\"netdisk\"}" }
}

struct SeedLibrary {
  var collections: [SeedCollection] = []
  /// Places in `collections` and their `tracks`, in the order the rows are inserted.
  var insertionOrder: [(collection: Int, track: Int)] = []
}

/// How a library came to be.
enum Age: String {
  /// Time-ordered version 7 ids, inserted in order.
  case new
  /// Random version 4 ids, tracks of all collections interleaved: years of adding here and there.
  case aged
}

/// Makes the same values on every machine and in every run.
struct SeedMaker {
  private var random: SplitMix
  private let age: Age
  private var idsMade: UInt64
  private static let epoch: Int64 = 1_700_000_000_000
  private static let words = [
    "quick", "brown", "river", "stone", "winter", "garden", "silver", "dragon", "letter", "ocean", "mirror", "paper", "shadow", "forest",
    "castle", "voyage", "island", "memory", "whisper", "thunder", "harvest", "lantern", "orchard", "compass", "meadow", "Brontë", "café",
  ]

  /// - Parameter after: how many ids were made before; later version 7 ids sort behind earlier ones.
  init(age: Age, seed: UInt64 = 42, after: UInt64 = 0) {
    self.age = age
    random = SplitMix(state: seed)
    idsMade = after
  }

  /// 20 % of the tracks with a playback state, 5 % favourites, 5 tags a collection.
  mutating func library(collections: Int, tracksEach: Int) -> SeedLibrary {
    var library = SeedLibrary()
    for place in 0..<collections { library.collections.append(collection(place, tracks: tracksEach)) }
    for place in 0..<collections { library.insertionOrder += (0..<tracksEach).map { (place, $0) } }
    if age == .aged {
      for i in library.insertionOrder.indices.reversed() where i > 0 { library.insertionOrder.swapAt(i, Int(below(UInt64(i) + 1))) }
    }
    return library
  }

  /// Tracks to add to a collection: `place` counts from the collection's first track and only makes the names differ.
  mutating func tracks(_ count: Int, collection: UUID, from place: Int) -> [SeedTrack] {
    (0..<count).map { track(place + $0, collection: collection, folder: "/audiobooks/added") }
  }

  private mutating func collection(_ place: Int, tracks: Int) -> SeedCollection {
    let id = makeID()
    let folder = "/audiobooks/\(place)"
    let createdAt = Self.epoch + Int64(place) * 60_000
    var made = SeedCollection(
      id: id, title: "Collection \(place): The \(word()) of \(word())", author: chance(50) ? "Author Name \(below(50))" : nil,
      description: (0..<30).map { _ in word() }.joined(separator: " "), colorHex: "#5B8DEF", folder: folder, createdAt: createdAt,
      updatedAt: createdAt + 86_400_000, lastPlayedTrack: nil, tags: (0..<5).map { "tag-\(below(30))-\($0)" }, tracks: [])
    made.tracks.reserveCapacity(tracks)
    for place in 0..<tracks { made.tracks.append(track(place, collection: id, folder: folder)) }
    made.lastPlayedTrack = made.tracks.first { $0.state != nil }?.id
    return made
  }

  private mutating func track(_ place: Int, collection: UUID, folder: String) -> SeedTrack {
    let fileID = Int64(below(1 << 48))
    let padded = String(String(place + 10_001).suffix(4))
    let path = "\(folder)/\(padded).m4b"
    let type = ["baidu", "local", "external"][Int(below(3))]
    let payload =
      switch type {
      case "baidu": "{\"fsId\":\(fileID),\"path\":\"\(path)\"}"
      case "local": "{\"urlBookmark\":\"\(Data(path.utf8).base64EncodedString())\"}"
      default: "{\"url\":\"https://example.com\(path)\"}"
      }
    let metadata = chance(50) ? ["artist": "A\(below(100))", "bitrate": "64"] : [:]
    var made = SeedTrack(
      id: makeID(), collection: collection, position: place, displayName: "Chapter \(padded) - \(word()) \(word())",
      filename: "\(padded)_\(word()).m4b", locationType: type, locationPayload: payload, fileID: fileID, path: path,
      fileSize: 1_000_000 + Int64(below(100_000_000)), duration: chance(95) ? Double(below(3_600_000)) / 1000 : nil,
      trackNumber: place + 1, checksum: chance(50) ? hex(next()) + hex(next()) : nil, metadata: metadata,
      metadataText: metadata.isEmpty ? "{}" : "{\"artist\":\"\(metadata["artist"] ?? "")\",\"bitrate\":\"64\"}",
      state: nil, favoritedAt: nil)
    if chance(20) {
      made.state = SeedState(position: Double(below(3_000_000)) / 1000, duration: 3600, updatedAt: date())
    }
    if chance(5) { made.favoritedAt = date() }
    return made
  }

  private mutating func date() -> Int64 { Self.epoch + Int64(below(20_000_000)) * 1000 }
  private mutating func word() -> String { Self.words[Int(below(UInt64(Self.words.count)))] }
  private mutating func chance(_ percent: UInt64) -> Bool { below(100) < percent }
  private mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }

  private func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func makeID() -> UUID {
    idsMade += 1
    var high = next()
    var low = next()
    switch age {
    case .new: high = (UInt64(Self.epoch) + idsMade) << 16 | 0x7000 | high & 0x0FFF
    case .aged: high = high & ~0xF000 | 0x4000
    }
    low = low & ~(3 << 62) | 2 << 62
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private mutating func next() -> UInt64 { random.next() }
}
