import Foundation
import Holdfast
import HoldfastTransfer

/// One track of a `Library.xml`, as far as it can be read.
struct ITunesTrack {
  /// The keys that a track's own fields come from, in the order in which they are compared. All others go into its metadata by
  /// their own names, as text: nothing of a track is lost.
  enum Field: String, CaseIterable {
    case persistentID = "Persistent ID"
    case title = "Name"
    case artist = "Artist"
    case album = "Album"
    case albumArtist = "Album Artist"
    case isCompilation = "Compilation"
    case genre = "Genre"
    case year = "Year"
    case trackNumber = "Track Number"
    case discNumber = "Disc Number"
    case duration = "Total Time"
    case location = "Location"
    case size = "Size"
    case modifiedAt = "Date Modified"
    case addedAt = "Date Added"
    case playCount = "Play Count"
    case lastPlayedAt = "Play Date UTC"
    case rating = "Rating"

    static let byKey = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    static let playDate = "Play Date"
    static let trackID = "Track ID"

    var carried: TrackFields {
      switch self {
      case .persistentID: .persistentID
      case .title: .title
      case .artist: .artist
      case .album: .album
      case .albumArtist: .albumArtist
      case .isCompilation: .compilation
      case .genre: .genre
      case .year: .year
      case .trackNumber: .trackNumber
      case .discNumber: .discNumber
      case .duration: .duration
      case .location: .location
      case .size: .size
      case .modifiedAt: .modifiedAt
      case .addedAt: .addedAt
      case .playCount: .playCount
      case .lastPlayedAt: .lastPlayedAt
      case .rating: .rating
      }
    }
  }

  /// Only within its file.
  private(set) var trackID: Int64?
  /// Why it cannot be imported; nil when it can.
  private(set) var problem: String?
  /// What it is imported without.
  private(set) var damaged: [(key: String, reason: String, value: Plist)] = []
  private(set) var track = LibraryTrack(id: .zero, title: "", file: TrackFile(location: nil), addedAt: .distantPast)
  private(set) var carries = TrackFields(Field.allCases.map(\.carried) + [.metadata])
  /// What the source has, by `Field`; null where it has nothing.
  private var written = [JSONValue](repeating: .null, count: Field.allCases.count)
  private var metadata: [String: JSONValue] = [:]

  init(_ value: Plist, key: String, _ clock: MacClock) {
    trackID = Int64(key)
    guard case .dict(let members) = value else {
      problem = "a track should be a dict"
      return
    }
    var rating: Plist?
    var isRatingComputed = false
    var playDate: Plist?
    var seen: Set<String> = []
    for member in members {
      if !seen.insert(member.key).inserted { fail("\(member.key) stands twice") }
      switch (Field.byKey[member.key], member.key) {
      case (.rating?, _): rating = member.value
      case (let field?, _): take(field, member.value)
      case (nil, Field.trackID): trackID = member.value.integer ?? trackID
      case (nil, Field.playDate): playDate = member.value
      default:
        if member.key == "Rating Computed", member.value.bool == true { isRatingComputed = true }
        metadata[member.key] = .string(member.value.text)
      }
    }
    // Computed from the album's, it is nobody's judgement of the track.
    if let rating { if isRatingComputed { metadata[Field.rating.rawValue] = .string(rating.text) } else { take(.rating, rating) } }
    if let playDate { take(playDate: playDate, clock) }
    if !seen.contains(Field.persistentID.rawValue) { takePlace() }
    if !seen.contains(Field.addedAt.rawValue) { carries.remove(.addedAt) }
    track.metadata = StoredJSON(text: JSONValue.object(metadata).canonicalText())
  }

  // MARK: Reading

  private mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// Early versions had no Persistent IDs: the file is then the track.
  private mutating func takePlace() {
    guard let location = track.file.location else { return fail("Persistent ID is missing, and so is the place of a file") }
    track.id = NewID.derived(from: "itunes file/\(location.text)")
  }

  private mutating func set(_ field: Field, _ value: JSONValue) {
    if let place = Field.allCases.firstIndex(of: field) { written[place] = value }
  }

  /// The track comes in without this field, and what the store has for it stays.
  private mutating func leave(_ field: Field, _ reason: String, _ value: Plist, key: String? = nil) {
    damaged.append((key ?? field.rawValue, reason, value))
    carries.remove(field.carried)
  }

  private mutating func take(_ field: Field, _ value: Plist) {
    switch field {
    case .persistentID:
      guard let id = value.string, let uuid = ITunesID.uuid(id) else { return fail("Persistent ID should be 16 hexadecimal digits") }
      track.id = uuid
      track.persistentID = id
      set(field, .string(id.uppercased()))
    case .title, .artist, .album, .location, .albumArtist, .genre: takeText(field, value)
    case .isCompilation:
      guard let flag = value.bool else { return leave(field, "\(field.rawValue) should be true or false", value) }
      track.isCompilation = flag
      // Absent means the same as false.
      set(field, flag ? .bool(true) : .null)
    case .modifiedAt, .addedAt, .lastPlayedAt:
      guard case .scalar(.date, let text) = value, let date = Written(date: text) else {
        return leave(field, "\(field.rawValue) should be a date", value)
      }
      switch field {
      case .modifiedAt: track.file.modifiedAt = date.value
      case .addedAt: track.addedAt = date.value
      default: track.lastPlayedAt = date.value
      }
      set(field, date.text)
    case .year, .trackNumber, .discNumber, .duration, .size, .playCount, .rating: takeNumber(field, value)
    }
  }

  private mutating func takeText(_ field: Field, _ value: Plist) {
    guard let text = value.string else {
      let reason = "\(field.rawValue) should be a text"
      return field == .albumArtist || field == .genre ? leave(field, reason, value) : fail(reason)
    }
    switch field {
    case .title: track.title = text
    case .artist: track.artist = text
    case .album: track.album = text
    case .albumArtist: track.albumArtist = text
    case .genre: track.genre = text
    case .location where text.isEmpty: return
    default: track.file.location = FileLocation(text: text)
    }
    set(field, .string(text))
  }

  private mutating func takeNumber(_ field: Field, _ value: Plist) {
    guard let number = value.integer else { return leave(field, "\(field.rawValue) should be a whole number", value) }
    // A double has every whole number of milliseconds up to there, as seconds and back.
    let range: ClosedRange<Int64> =
      switch field {
      case .rating: 0...100
      case .duration: 0...(1 << 48)
      case .size, .playCount: 0 ... .max
      default: .min ... .max
      }
    guard range.contains(number) else { return leave(field, "\(field.rawValue) cannot be \(number)", value) }
    switch field {
    case .year: track.year = Int(clamping: number)
    case .trackNumber: track.trackNumber = Int(clamping: number)
    case .discNumber: track.discNumber = Int(clamping: number)
    case .duration: track.duration = Double(number) / 1000
    case .size: track.file.sizeBytes = number
    case .playCount: track.playCount = Int(clamping: number)
    default: track.rating = Int(clamping: number)
    }
    set(field, field == .playCount && number == 0 ? .null : .integer(number))
  }

  /// Only where there is no better one; otherwise it is kept as text.
  private mutating func take(playDate value: Plist, _ clock: MacClock) {
    guard written[Self.lastPlayed] == .null else {
      metadata[Field.playDate] = .string(value.text)
      return
    }
    guard let number = value.integer, let seconds = MacClock.seconds(number) else {
      return leave(.lastPlayedAt, "Play Date should be seconds since 1904", value, key: Field.playDate)
    }
    guard let date = clock.date(seconds), clock.seconds(date) == seconds else {
      return leave(.lastPlayedAt, "Play Date is a time that \(clock.timeZone.identifier) does not have", value, key: Field.playDate)
    }
    track.lastPlayedAt = date
    carries.insert(.lastPlayedAt)
    set(.lastPlayedAt, .integer(seconds))
  }

  // MARK: The source's own shape

  private static let lastPlayed = Field.allCases.firstIndex(of: .lastPlayedAt) ?? 0

  var fields: [SourceField] {
    zip(Field.allCases, written).map { SourceField($0.rawValue, $1) } + [SourceField("metadata", .object(metadata))]
  }

  /// A stored track as the source would have it: what the source does not say is null where the store has what stands for that.
  static func fields(of source: SourceTrack, as record: [SourceField], stored track: LibraryTrack, _ clock: MacClock) -> [SourceField] {
    zip(Field.allCases, record).map { field, written in
      guard source.carries.contains(field.carried) else { return SourceField(field.rawValue, .null) }
      return SourceField(field.rawValue, value(of: field, track, insteadOf: written.value, clock))
    } + [SourceField("metadata", [String: JSONValue](json: track.metadata.text).map(JSONValue.object) ?? .null)]
  }

  private static func value(of field: Field, _ track: LibraryTrack, insteadOf source: JSONValue, _ clock: MacClock) -> JSONValue {
    func text(_ text: String, standingFor nothing: String) -> JSONValue { source == .null && text == nothing ? .null : .string(text) }
    func date(_ date: Date?) -> JSONValue { date.map(JSONValue.iso8601) ?? .null }
    return switch field {
    case .persistentID: .text(track.persistentID?.uppercased())
    case .title: text(track.title, standingFor: "")
    case .artist: text(track.artist, standingFor: LibraryTrack.unknownArtist)
    case .album: text(track.album, standingFor: LibraryTrack.unknownAlbum)
    case .albumArtist: .text(track.albumArtist)
    case .isCompilation: track.isCompilation ? .bool(true) : .null
    case .genre: .text(track.genre)
    case .year: .number(track.year.map(Int64.init))
    case .trackNumber: .number(track.trackNumber.map(Int64.init))
    case .discNumber: .number(track.discNumber.map(Int64.init))
    case .duration: .number(track.duration.flatMap { Int64(exactly: ($0 * 1000).rounded()) })
    case .location: .text(track.file.location?.text)
    case .size: .number(track.file.sizeBytes)
    case .modifiedAt: date(track.file.modifiedAt)
    case .addedAt: date(track.addedAt)
    case .playCount: track.playCount == 0 ? .null : .integer(Int64(track.playCount))
    case .lastPlayedAt:
      if case .integer = source { .number(track.lastPlayedAt.flatMap(clock.seconds)) } else { date(track.lastPlayedAt) }
    case .rating: .number(track.rating.map(Int64.init))
    }
  }
}

/// The ids that iTunes gives to tracks and playlists: 16 hexadecimal digits, the same in every export.
enum ITunesID {
  /// The id in this library; nil for a text that is no such id.
  static func uuid(_ text: String) -> UUID? {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ isHex($0) }) else { return nil }
    return NewID.derived(from: "itunes/\(text.uppercased())")
  }

  /// Its 16 digits.
  static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }
}

/// Seconds since 1904 on the clock of the wall, as `Play Date` counts them.
struct MacClock: Sendable {
  let timeZone: TimeZone

  /// From 1904 to 1970.
  private static let epoch: Int64 = 2_082_844_800

  /// The number without the sign that older programs made of its highest bit; nil for one that 32 bits do not hold.
  static func seconds(_ number: Int64) -> Int64? {
    if let wrapped = Int32(exactly: number), wrapped < 0 { return Int64(UInt32(bitPattern: wrapped)) }
    return UInt32(exactly: number).map(Int64.init)
  }

  /// Of an hour that the clock shows twice the first.
  func date(_ seconds: Int64) -> Date? {
    let local = seconds - Self.epoch
    let offsets = [86_400, -86_400].map { Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - $0)))) }
    let candidates = offsets.map { Date(timeIntervalSince1970: Double(local - $0)) }
    return candidates.first { self.seconds($0) == seconds }
  }

  func seconds(_ date: Date) -> Int64? {
    Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map { $0 + Int64(timeZone.secondsFromGMT(for: date)) + Self.epoch }
  }
}
