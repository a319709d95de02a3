public import Foundation
public import Holdfast

/// The audio file of a track: where it is, whether it was there, and by what it is known again after it was moved.
public struct TrackFile: Sendable, Hashable {
  /// Nil when the source names no file, as for a track that is only in a shop's cloud.
  public var location: FileLocation?
  /// What the last rescan found; `available` until there was one.
  public var availability: FileAvailability
  /// In bytes.
  public var sizeBytes: Int64?
  /// To the millisecond.
  public var modifiedAt: Date?
  /// Whatever names the content: compared, never computed here.
  public var contentHash: String?

  /// The date is rounded to the millisecond.
  public init(
    location: FileLocation?, availability: FileAvailability = .available, sizeBytes: Int64? = nil, modifiedAt: Date? = nil,
    contentHash: String? = nil
  ) {
    self.location = location
    self.availability = availability
    self.sizeBytes = sizeBytes
    self.modifiedAt = modifiedAt.map(DateCodec.rounded)
    self.contentHash = contentHash
  }
}

/// Whether a track's file can be played. A value that this version does not know survives word for word.
public typealias FileAvailability = OpenWord<FileAvailabilities>
/// Tells `FileAvailability` from other words.
public enum FileAvailabilities {}

extension FileAvailability {
  /// The file was there when it was last looked for, or was never looked for.
  public static var available: Self { "available" }
  /// A rescan did not find the file. The track keeps its plays and its places in playlists.
  public static var offline: Self { "offline" }
}
