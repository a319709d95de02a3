public import Foundation
public import Holdfast

/// The audio file of a track: its place, whether it was found, and the facts that identify it after it was moved.
public struct TrackFile: Sendable, Hashable {
  /// Nil when the source names no file, for example for a track that exists only in a shop's cloud.
  public var location: FileLocation?
  /// The result of the last rescan; `available` before the first one.
  public var availability: FileAvailability
  /// In bytes.
  public var sizeBytes: Int64?
  /// To the millisecond.
  public var modifiedAt: Date?
  /// A hash of the content, computed by the app. This library only compares it.
  public var contentHash: String?

  /// A file with its facts; the date is rounded to the millisecond.
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

/// Whether a track's file can be played. A value that this version does not know is kept word for word.
public typealias FileAvailability = OpenWord<FileAvailabilities>
/// The type that distinguishes `FileAvailability` from other words.
public enum FileAvailabilities {}

extension FileAvailability {
  /// The file was found by the last rescan, or there was no rescan yet.
  public static var available: Self { "available" }
  /// A rescan did not find the file. The track keeps its plays and its places in playlists.
  public static var offline: Self { "offline" }
}
