public import Foundation
import Holdfast

/// A picture, stored once however many tracks show it.
///
/// Its bytes are kept as they are and never decoded; what kind of picture they are, and how large, is read from their header.
public struct MusicArtwork: Sendable, Hashable, Identifiable {
  /// SHA-256 of the bytes, in lowercase hexadecimal.
  public let hash: String
  /// A media type, for example `image/jpeg`; `application/octet-stream` when the bytes are of no kind that is known here.
  public let mediaType: String
  /// In pixels, where the header says so.
  public let width: Int?
  /// In pixels, where the header says so.
  public let height: Int?
  /// The file as it came.
  public let data: Data

  /// The hash: the same content is the same picture.
  public var id: String { hash }

  /// Takes any bytes.
  public init(_ data: Data) {
    let header = ImageHeader(data)
    hash = SHA256Hex.of(data)
    mediaType = header.mediaType
    width = header.width
    height = header.height
    self.data = data
  }
}

/// A row of `artwork`.
struct ArtworkRow: StoredRecord {
  static let table = "artwork"
  static let columns = ["hash", "media_type", "width", "height", "bytes", "data"]
  static let key = ["hash"]
  var artwork: MusicArtwork

  init(_ artwork: MusicArtwork) { self.artwork = artwork }

  init(row: inout StoredRow) throws {
    let hash = try row.text()
    for _ in 0..<4 { _ = try row.value() }
    artwork = MusicArtwork(try row.data())
    guard artwork.hash == hash else {
      throw StoreError(.damaged, "the artwork \(hash) does not have the content that its name says")
    }
  }

  func encode(into values: inout Values) throws {
    try values.text(artwork.hash)
    try values.text(artwork.mediaType)
    try values.int64(artwork.width.map(Int64.init))
    try values.int64(artwork.height.map(Int64.init))
    try values.int(artwork.data.count)
    try values.data(artwork.data)
  }
}
