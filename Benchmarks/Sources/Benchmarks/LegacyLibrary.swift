import Foundation

/// The shape of `library.json`, version 3: the Codable types that the app kept its library in.
struct LegacyLibrary: Codable {
  var schemaVersion: Int
  var collections: [LegacyCollection]

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

struct LegacyCollection: Codable {
  var id: UUID
  var title: String
  var author: String?
  var description: String?
  var coverAsset: LegacyCover
  var createdAt: Date
  var updatedAt: Date
  var source: LegacySource
  var tracks: [LegacyTrack]
  var lastPlayedTrackId: UUID?
  /// Codable writes a dictionary with such keys as a flat array: key, value, key, value.
  var playbackStates: [UUID: LegacyState]
  var tags: [String]
}

struct LegacyTrack: Codable {
  var id: UUID
  var displayName: String
  var filename: String
  var location: LegacyLocation
  var fileSize: Int64
  var duration: Double?
  var trackNumber: Int
  var checksum: String?
  var metadata: [String: String]
  var isFavorite: Bool
  var favoritedAt: Date?
}

struct LegacyState: Codable {
  var position: Double
  var duration: Double?
  var updatedAt: Date
}

struct LegacyCover: Codable {
  var kind: Kind
  var dominantColorHex: String?

  enum Kind: Codable {
    case solid(colorHex: String)
    case image(relativePath: String)
    case remote(url: String)

    private enum Key: String, CodingKey { case type, colorHex, relativePath, url }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      switch try values.decode(String.self, forKey: .type) {
      case "solid": self = .solid(colorHex: try values.decode(String.self, forKey: .colorHex))
      case "image": self = .image(relativePath: try values.decode(String.self, forKey: .relativePath))
      case "remote": self = .remote(url: try values.decode(String.self, forKey: .url))
      case let other: throw Failure("cover type \(other)")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      switch self {
      case .solid(let colorHex):
        try values.encode("solid", forKey: .type)
        try values.encode(colorHex, forKey: .colorHex)
      case .image(let relativePath):
        try values.encode("image", forKey: .type)
        try values.encode(relativePath, forKey: .relativePath)
      case .remote(let url):
        try values.encode("remote", forKey: .type)
        try values.encode(url, forKey: .url)
      }
    }
  }
}

enum LegacySource: Codable {
  case baiduNetdisk(folderPath: String, tokenScope: String)
  case local(directoryBookmark: Data)
  case external(description: String)

  private enum Key: String, CodingKey { case type, folderPath, tokenScope, directoryBookmark, description }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    switch try values.decode(String.self, forKey: .type) {
    case "baiduNetdisk":
      self = .baiduNetdisk(
        folderPath: try values.decode(String.self, forKey: .folderPath), tokenScope: try values.decode(String.self, forKey: .tokenScope))
    case "local": self = .local(directoryBookmark: try values.decode(Data.self, forKey: .directoryBookmark))
    case "external": self = .external(description: try values.decode(String.self, forKey: .description))
    case let other: throw Failure("source type \(other)")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    switch self {
    case .baiduNetdisk(let folderPath, let tokenScope):
      try values.encode("baiduNetdisk", forKey: .type)
      try values.encode(folderPath, forKey: .folderPath)
      try values.encode(tokenScope, forKey: .tokenScope)
    case .local(let directoryBookmark):
      try values.encode("local", forKey: .type)
      try values.encode(directoryBookmark, forKey: .directoryBookmark)
    case .external(let description):
      try values.encode("external", forKey: .type)
      try values.encode(description, forKey: .description)
    }
  }
}

enum LegacyLocation: Codable {
  case baidu(fsId: Int64, path: String)
  case local(urlBookmark: Data)
  case external(url: URL)

  private enum Key: String, CodingKey { case type, fsId, path, urlBookmark, url }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    switch try values.decode(String.self, forKey: .type) {
    case "baidu": self = .baidu(fsId: try values.decode(Int64.self, forKey: .fsId), path: try values.decode(String.self, forKey: .path))
    case "local": self = .local(urlBookmark: try values.decode(Data.self, forKey: .urlBookmark))
    case "external": self = .external(url: try values.decode(URL.self, forKey: .url))
    case let other: throw Failure("location type \(other)")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    switch self {
    case .baidu(let fsId, let path):
      try values.encode("baidu", forKey: .type)
      try values.encode(fsId, forKey: .fsId)
      try values.encode(path, forKey: .path)
    case .local(let urlBookmark):
      try values.encode("local", forKey: .type)
      try values.encode(urlBookmark, forKey: .urlBookmark)
    case .external(let url):
      try values.encode("external", forKey: .type)
      try values.encode(url, forKey: .url)
    }
  }
}
