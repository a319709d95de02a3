public import Foundation
import Holdfast

/// The result of comparing a listing with the library. Nothing in it is written yet.
public struct RescanPlan: Sendable, Hashable {
  /// The stored file of one track, and the file after the rescan.
  public struct Change: Sendable, Hashable {
    /// The track.
    public let trackID: UUID
    /// The file as stored.
    public let before: TrackFile
    /// The file as found, or offline.
    public let after: TrackFile
    /// Whether the file at the track's place has another content than the stored one. Then read its tags again.
    public let hasOtherContent: Bool
  }

  /// Tracks and files that may belong together, but nothing tells which file is whose. The tracks count as missing, the audio files as new.
  public struct Unclear: Sendable, Hashable {
    /// Tracks without a file at their place.
    public let trackIDs: [UUID]
    /// Files of the same content, or of the same size and time.
    public let files: [ScannedFile]
  }

  /// Every row that the rescan would write, one a track, in the order of the library.
  public let changes: [Change]
  /// Audio files that no track has, by path. The app reads their tags, and saves new tracks.
  public let new: [ScannedFile]
  /// Tracks and files that could not be matched without guessing.
  public let unclear: [Unclear]
  /// Files that the listing contains twice with different sizes, times or hashes. The other listed file counts.
  public let repeated: [ScannedFile]
  /// How many tracks are under the listed folders and were not offline before.
  public let judged: Int
  /// Identifies this plan: plans with equal content have equal tokens.
  public let token: String

  init(changes: [Change], new: [ScannedFile], unclear: [Unclear], repeated: [ScannedFile], judged: Int) {
    self.changes = changes
    self.new = new
    self.unclear = unclear
    self.repeated = repeated
    self.judged = judged
    var words = ["\(judged)"]
    for change in changes { words += [IDCodec.lowercase(change.trackID)] + Self.words(change.before) + Self.words(change.after) }
    for file in new { words += ["new"] + Self.words(file) }
    for file in repeated { words += ["repeated"] + Self.words(file) }
    for unclear in unclear { words += ["unclear"] + unclear.trackIDs.map(IDCodec.lowercase) + unclear.files.map(\.key) }
    token = SHA256Hex.of(Data(words.map { "\($0.utf8.count):\($0)" }.joined().utf8))
  }

  /// Tracks whose file is at another place now; everything else of the track stays.
  public var moved: [Change] { changes.filter { $0.before.location != $0.after.location } }
  /// Tracks whose file was not found: they become offline, and keep their plays and playlists.
  public var missing: [Change] { changes.filter { $0.after.availability == .offline && $0.before.availability != .offline } }
  /// Offline tracks whose file was found again, at its place or elsewhere.
  public var back: [Change] { changes.filter { $0.before.availability == .offline && $0.after.availability != .offline } }
  /// Tracks whose file at its place has another content.
  public var changed: [Change] { changes.filter(\.hasOtherContent) }
  /// How many of the judged tracks are missing, from 0 to 1.
  public var missingShare: Double { judged == 0 ? 0 : Double(missing.count) / Double(judged) }

  private static func words(_ file: TrackFile) -> [String] {
    [
      file.location?.text ?? "-", file.availability.rawValue, file.sizeBytes.map { "\($0)" } ?? "-", word(file.modifiedAt),
      file.contentHash.map { "=\($0)" } ?? "-",
    ]
  }

  private static func words(_ file: ScannedFile) -> [String] {
    [file.location.text, "\(file.sizeBytes)", word(file.modifiedAt), file.contentHash.map { "=\($0)" } ?? "-"]
  }

  private static func word(_ date: Date?) -> String { date.flatMap(DateCodec.milliseconds).map { "\($0)" } ?? "-" }
}

/// The result of a rescan.
public enum RescanResult: Sendable, Hashable {
  /// The plan was written.
  case done(RescanPlan)
  /// More tracks are missing at once than allowed, and nothing was changed. Ask the person, and call again with this plan's token.
  case needsConfirmation(RescanPlan)

  /// The plan, written or not.
  public var plan: RescanPlan {
    switch self {
    case .done(let plan), .needsConfirmation(let plan): plan
    }
  }
  /// Whether the plan was written.
  public var isDone: Bool { if case .done = self { true } else { false } }
}
