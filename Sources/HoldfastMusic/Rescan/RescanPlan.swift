public import Foundation
import Holdfast

/// What a rescan finds and would change. Nothing in it is written yet.
public struct RescanPlan: Sendable, Hashable {
  /// What the file of one track was and will be.
  public struct Change: Sendable, Hashable {
    /// Whose file.
    public let trackID: UUID
    /// As it is stored.
    public let before: TrackFile
    /// As it was found, or offline.
    public let after: TrackFile
    /// At its place is another content than the stored one: read its tags again.
    public let hasOtherContent: Bool
  }

  /// Tracks that may be those of some files that were found, and nothing says which is whose. The tracks count as missing, the
  /// audio files as new.
  public struct Unclear: Sendable, Hashable {
    /// Tracks whose file is not at its place.
    public let trackIDs: [UUID]
    /// Files of the same content, or of the same size and time.
    public let files: [ScannedFile]
  }

  /// Every row that the rescan would write, one a track, in the order of the library.
  public let changes: [Change]
  /// Audio files of no track, for the app to read their tags and save new tracks; by path.
  public let new: [ScannedFile]
  /// What was not guessed.
  public let unclear: [Unclear]
  /// Files that the listing has twice with different sizes, times or hashes; the other one counts.
  public let repeated: [ScannedFile]
  /// How many tracks are under the listed folders and were not offline before.
  public let judged: Int
  /// Names this plan: equal when everything in it is.
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
  /// Tracks whose file was not found: they become offline, and keep plays and playlists.
  public var missing: [Change] { changes.filter { $0.after.availability == .offline && $0.before.availability != .offline } }
  /// Tracks that were offline and whose file is there again, where it was or elsewhere.
  public var back: [Change] { changes.filter { $0.before.availability == .offline && $0.after.availability != .offline } }
  /// Tracks at whose place is another content.
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

/// What came of a rescan.
public enum RescanResult: Sendable, Hashable {
  /// It is done: this is what was changed.
  case done(RescanPlan)
  /// More is missing at once than was allowed, and nothing was changed. Ask, and do it again with this plan's token.
  case needsConfirmation(RescanPlan)

  /// Done or not.
  public var plan: RescanPlan {
    switch self {
    case .done(let plan), .needsConfirmation(let plan): plan
    }
  }
  /// Whether the library is as the listing says now.
  public var isDone: Bool { if case .done = self { true } else { false } }
}
