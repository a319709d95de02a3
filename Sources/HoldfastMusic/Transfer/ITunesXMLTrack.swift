import Foundation
import Holdfast
import HoldfastTransfer

/// The readable part of one track of a `Library.xml`.
struct ITunesTrack: Sendable {
  /// Valid only within its file.
  let trackID: Int64?
  let said: SaidRow<LibraryTrack>
  /// Whether nothing but its names, its number and its length tells it from others.
  private(set) var isKnownByNames = false
  /// The members that were read; their problems are not reported yet.
  var members: SourceMembers

  static let trackIDKey = "Track ID"
  private static let playDate = "Play Date"
  private static let playDateUTC = "Play Date UTC"
  private static let rating = "Rating"
  private static let metadata = "metadata"
  /// All other keys go into the metadata as text, by their own names, so that nothing of a track is lost.
  private static let keys = Set(fields(MacClock(timeZone: .gmt)).fields.map(\.name)).subtracting([metadata]).union([trackIDKey, playDate])

  /// The ledgers of earlier imports have these values in this order, so both must stay.
  static func fields(_ clock: MacClock) -> FieldTable<LibraryTrack> {
    [
      .optional("Persistent ID", \.persistentID, .iTunesID).ifWrong(fails: true),
      .init("Name", \.title, .text(standingForNothing: ""), .empties).ifWrong(fails: true),
      .init("Artist", \.artist, .text(standingForNothing: LibraryTrack.unknownArtist), .empties).ifWrong(fails: true),
      .init("Album", \.album, .text(standingForNothing: LibraryTrack.unknownAlbum), .empties).ifWrong(fails: true),
      .optional("Album Artist", \.albumArtist, .text),
      .init("Compilation", \.isCompilation, .bool.absent(means: false), .empties),
      .optional("Genre", \.genre, .text),
      .optional("Year", \.year, .int),
      .optional("Track Number", \.trackNumber, .int),
      .optional("Disc Number", \.discNumber, .int),
      .optional("Total Time", \.duration, .milliseconds),
      .init("Location", \.file.location, .filled(.url(.text)), .empties).ifWrong(fails: true),
      .optional("Size", \.file.sizeBytes, .int64.only("a whole number that is not less than 0") { $0 >= 0 }),
      .optional("Date Modified", \.file.modifiedAt, .iso8601),
      .optional("Date Added", \.addedAt, .iso8601, .keeps),
      .init("Play Count", \.playCount, .count.absent(means: 0), .empties),
      .optional(playDateUTC, \.lastPlayedAt, .played(clock)),
      .optional(rating, \.rating, .percent),
      .kept(metadata, \.metadata, .textMap),
    ]
  }

  init(_ value: Plist, key: String, _ fields: FieldTable<LibraryTrack>) {
    members = SourceMembers([:])
    var metadata: [String: JSONValue] = [:]
    var held: [String: Plist] = [:]
    if case .dict(let all) = value {
      for member in all {
        let isRepeated =
          switch member.key {
          case Self.playDate, Self.rating: held.updateValue(member.value, forKey: member.key) != nil
          case let key where !Self.keys.contains(key): metadata.updateValue(.string(member.value.text), forKey: key) != nil
          default: !members.add(member)
          }
        if isRepeated { members.failRepeated(member.key) }
      }
    } else {
      members.fail("a track should be a dict")
    }
    trackID = members.remove(Self.trackIDKey).wholeNumber ?? Int64(key)
    // A computed rating comes from the album's rating, not from the listener.
    if let rating = held[Self.rating] {
      if metadata["Rating Computed"] == .string("true") {
        metadata[Self.rating] = .string(rating.text)
      } else {
        members.add(.init(key: Self.rating, value: rating))
      }
    }
    if let played = held[Self.playDate] {
      if ValueForm<Date>.iso8601.read(members.value(Self.playDateUTC)) != nil {
        metadata[Self.playDate] = .string(played.text)
      } else {
        members.leave(Self.playDateUTC, "\(Self.playDateUTC) should be a date")
        members.add(.init(key: Self.playDate, value: played))
        members.move(Self.playDate, to: Self.playDateUTC)
      }
    }
    members.set(Self.metadata, .object(metadata))
    var said = members.read(fields, into: MusicRecord.blank)
    if let id = said.row.persistentID.flatMap(ITunesID.uuid) {
      said.row.id = id
    } else if let location = said.row.file.location {
      // Early versions had no Persistent IDs; then the file identifies the track.
      said.row.id = NewID.derived(from: "itunes file/\(location.text)")
    } else if !said.row.title.isEmpty {
      // A track of a service, or of an export that another program has cut down.
      let numbers = [said.row.discNumber, said.row.trackNumber].map { $0.map { JSONValue.integer(Int64($0)) } ?? .null }
      let names = ["itunes names", said.row.title, said.row.artist, said.row.album].map(JSONValue.string)
      let length = said.row.duration.map(JSONValue.double) ?? .null
      said.row.id = NewID.derived(from: JSONValue.array(names + numbers + [length]).canonicalText())
      isKnownByNames = true
    } else {
      members.fail("Persistent ID is missing, and so are the place of a file and a name")
    }
    self.said = said
  }
}

extension SourceMembers {
  /// Adds a member of a dict; returns false when the dict already has one of this name.
  @discardableResult
  mutating func add(_ member: Plist.Member) -> Bool {
    let isNew = value(member.key) == .null
    if isNew { add(member.key, member.value.json, .made { member.value.xml }) }
    return isNew
  }
}

// MARK: Forms

extension ValueForm<String> {
  /// 16 hexadecimal digits, in either case; compared in upper case.
  static var iTunesID: ValueForm {
    ValueForm("16 hexadecimal digits") {
      .string($0.uppercased())
    } read: { json in
      guard case .string(let text) = json, ITunesID.uuid(text) != nil else { return nil }
      return Written(value: text, text: .string(text.uppercased()))
    }
  }

  /// Stores `nothing` when the source has no text, and reads it back as no text.
  fileprivate static func text(standingForNothing nothing: String) -> ValueForm {
    ValueForm("a text") { text, said in
      said == .null && text == nothing ? .null : .string(text)
    } read: { json in
      json == .null ? Written(value: nothing, text: .null) : ValueForm.text.read(json)
    }
  }
}

extension ValueForm where Value: Equatable {
  /// The same form, in which an absent value means the same as `nothing`.
  fileprivate func absent(means nothing: Value) -> ValueForm {
    orNil(also: text(of: nothing)).map({ $0 ?? nothing }, back: { $0 == nothing ? nil : $0 })
  }
}

extension ValueForm<Double> {
  /// Milliseconds in the source, stored as seconds.
  fileprivate static var milliseconds: ValueForm {
    ValueForm("a whole number of milliseconds") { seconds in
      .number(Int64(exactly: (seconds * 1000).rounded()))
    } read: { json in
      // Up to this number a double holds every whole number of milliseconds exactly, as seconds and back.
      guard let number = json.wholeNumber, (0...(1 << 48)).contains(number) else { return nil }
      return Written(value: Double(number) / 1000, text: .integer(number))
    }
  }
}

extension ValueForm<Date> {
  /// A date, or the form of older programs: seconds since 1904 in local time.
  fileprivate static func played(_ clock: MacClock) -> ValueForm {
    ValueForm("seconds since 1904, of a time that \(clock.timeZone.identifier) has") { date, said in
      if case .integer = said { .number(clock.seconds(date)) } else { .iso8601(date) }
    } read: { json in
      guard case .integer(let number) = json else { return ValueForm.iso8601.read(json) }
      guard let seconds = MacClock.seconds(number), let date = clock.date(seconds), clock.seconds(date) == seconds else { return nil }
      return Written(value: date, text: .integer(seconds))
    }
  }
}
