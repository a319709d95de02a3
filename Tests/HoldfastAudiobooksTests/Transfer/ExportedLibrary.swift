import Foundation

/// `library.json` as the player's version 3 reads it: synthesized decoding, its enumerations by a discriminator, and dates
/// as ISO 8601. It knows nothing of Holdfast; what it refuses, the player refuses.
struct ExportedLibrary: Decodable, Equatable {
  var schemaVersion: Int
  var collections: [Collection]

  init(_ data: Data) throws { self = try Self.decoder.decode(Self.self, from: data) }
  init(contentsOf url: URL) throws { try self.init(Data(contentsOf: url)) }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  struct Collection: Decodable, Equatable {
    var id: UUID
    var title: String
    var author: String?
    var description: String?
    var coverAsset: Cover
    var createdAt: Date
    var updatedAt: Date
    var source: Source
    var tracks: [Track]
    var lastPlayedTrackId: UUID?
    var playbackStates: [UUID: State]
    var tags: [String]
  }

  struct Cover: Decodable, Equatable {
    var kind: CoverKind
    var dominantColorHex: String?
  }

  struct State: Decodable, Equatable {
    var position: Double
    var duration: Double?
    var updatedAt: Date
  }

  struct Track: Decodable, Equatable {
    var id: UUID
    var displayName: String
    var filename: String
    var location: Location
    var fileSize: Int64
    var duration: Double?
    var trackNumber: Int
    var checksum: String?
    var metadata: [String: String]
    var isFavorite: Bool
    var favoritedAt: Date?
  }

  enum Source: Decodable, Equatable {
    case baiduNetdisk(folderPath: String, tokenScope: String)
    case local(directoryBookmark: Data)
    case external(description: String)

    private enum Keys: String, CodingKey { case type, folderPath, tokenScope, directoryBookmark, description }
    private enum Kind: String, Decodable { case baiduNetdisk, local, external }

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: Keys.self)
      switch try object.decode(Kind.self, forKey: .type) {
      case .baiduNetdisk:
        self = .baiduNetdisk(
          folderPath: try object.decode(String.self, forKey: .folderPath), tokenScope: try object.decode(String.self, forKey: .tokenScope))
      case .local: self = .local(directoryBookmark: try object.decode(Data.self, forKey: .directoryBookmark))
      case .external: self = .external(description: try object.decode(String.self, forKey: .description))
      }
    }
  }

  enum Location: Decodable, Equatable {
    case baidu(fsId: Int64, path: String)
    case local(urlBookmark: Data)
    case external(url: URL)

    private enum Keys: String, CodingKey { case type, fsId, path, urlBookmark, url }
    private enum Kind: String, Decodable { case baidu, local, external }

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: Keys.self)
      switch try object.decode(Kind.self, forKey: .type) {
      case .baidu: self = .baidu(fsId: try object.decode(Int64.self, forKey: .fsId), path: try object.decode(String.self, forKey: .path))
      case .local: self = .local(urlBookmark: try object.decode(Data.self, forKey: .urlBookmark))
      case .external: self = .external(url: try object.decode(URL.self, forKey: .url))
      }
    }
  }

  enum CoverKind: Decodable, Equatable {
    case solid(colorHex: String)
    case image(relativePath: String)
    case remote(url: String)

    private enum Keys: String, CodingKey { case type, colorHex, relativePath, url }
    private enum Kind: String, Decodable { case solid, image, remote }

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: Keys.self)
      switch try object.decode(Kind.self, forKey: .type) {
      case .solid: self = .solid(colorHex: try object.decode(String.self, forKey: .colorHex))
      case .image: self = .image(relativePath: try object.decode(String.self, forKey: .relativePath))
      case .remote: self = .remote(url: try object.decode(String.self, forKey: .url))
      }
    }
  }
}
