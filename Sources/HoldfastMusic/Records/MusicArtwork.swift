public import Foundation
import Holdfast

/// A picture, stored once even when many tracks show it.
///
/// Its bytes are kept unchanged and never decoded; its type and size are read from its header.
public struct MusicArtwork: Sendable, Hashable, Identifiable {
  /// SHA-256 of the bytes, in lowercase hexadecimal.
  public let hash: String
  /// A media type, for example `image/jpeg`; `application/octet-stream` when the type is unknown.
  public let mediaType: String
  /// In pixels; nil when the header does not give the width.
  public let width: Int?
  /// In pixels; nil when the header does not give the height.
  public let height: Int?
  /// The picture file's bytes, unchanged.
  public let data: Data

  /// The hash: equal bytes are the same picture.
  public var id: String { hash }

  /// Takes any bytes; does not check that they are a picture.
  public init(_ data: Data) {
    let header = ImageHeader(data)
    hash = SHA256Hex.of(data)
    mediaType = header.mediaType
    width = header.width
    height = header.height
    self.data = data
  }
}

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
    try values.int(artwork.width)
    try values.int(artwork.height)
    try values.int(artwork.data.count)
    try values.data(artwork.data)
  }
}
