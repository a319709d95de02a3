import Foundation
import Holdfast
import HoldfastMusic

/// 100,000 tracks of 700 artists on some 8,000 albums, and 200 playlists of 500 entries; the same at each run.
struct MusicSeed {
  static let trackCount = 100_000
  private static let words = [
    "love", "night", "river", "dragon", "summer", "blue", "heart", "café", "naïve", "road", "light", "dance", "fire", "home", "rain",
    "golden", "mountain", "silver", "dream", "ocean", "三体", "さくら", "Straße", "moon", "stone", "ghost", "paper", "city", "wild", "slow",
  ]
  private static let genres = ["Rock", "Jazz", "Classical", "Electronic", "Hip-Hop", "Folk", "Pop", "Soundtrack"]

  private var random = SplitMix(state: 7)
  private let makeID: NewID

  init() {
    // Ordered by time, as new ids are.
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    makeID = NewID.v7(now: { start })
  }

  mutating func tracks() -> [LibraryTrack] {
    var artist = ""
    var album = ""
    return (0..<Self.trackCount).map { number in
      let place = number % 12
      if place == 0 {
        artist = "\(word()) \(word()) \(random.below(700))"
        album = "\(word()) \(word())"
      }
      let title = (0..<Int(2 + random.below(3))).map { _ in word() }.joined(separator: " ")
      return LibraryTrack(
        id: makeID(), title: title, artist: artist, album: album, albumArtist: random.below(4) == 0 ? artist : nil,
        genre: Self.genres[random.below(Self.genres.count)], year: 1960 + random.below(65), trackNumber: place + 1,
        discNumber: random.below(10) == 0 ? 2 : 1, duration: Double(60_000 + random.below(400_000)) / 1000,
        file: TrackFile(
          location: FileLocation(path: "/Users/someone/Music/\(artist)/\(album)/\(place + 1) \(title).mp3"),
          sizeBytes: Int64(2_000_000 + random.below(9_000_000)), modifiedAt: date()), playCount: random.below(60),
        lastPlayedAt: random.below(2) == 0 ? date() : nil, rating: random.below(3) == 0 ? random.below(6) * 20 : nil, addedAt: date(),
        persistentID: String(format: "%016lX", UInt(truncatingIfNeeded: random.next())),
        metadata: StoredJSON(text: "{\"Bit Rate\":\"256\",\"Kind\":\"MPEG audio file\"}"))
    }
  }

  mutating func playlists(of tracks: [LibraryTrack]) -> [MusicPlaylist] {
    (0..<200).map { number in
      MusicPlaylist(id: makeID(), name: "List \(number)", trackIDs: (0..<500).map { _ in tracks[random.below(tracks.count)].id })
    }
  }

  /// What people type, letter by letter: every beginning of one or two words.
  mutating func typing(_ count: Int) -> [String] {
    var typed: [String] = []
    while typed.count < count {
      let words = Self.words.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
      let first = words[random.below(words.count)]
      let text = random.below(2) == 0 ? first : "\(first) \(words[random.below(words.count)])"
      for end in 1...text.count where text.prefix(end).last != " " { typed.append(String(text.prefix(end))) }
    }
    return Array(typed.prefix(count))
  }

  private mutating func word() -> String { Self.words[random.below(Self.words.count)] }
  private mutating func date() -> Date { Date(timeIntervalSince1970: Double(1_300_000_000 + random.below(400_000_000))) }
}

/// The same library as iTunes would write it.
enum ITunesFile {
  static func write(_ tracks: [LibraryTrack], _ playlists: [MusicPlaylist], to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else {
      throw Failure("\(path) cannot be written")
    }
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>Major Version</key><integer>1</integer>
      \t<key>Minor Version</key><integer>1</integer>
      \t<key>Application Version</key><string>12.8</string>
      \t<key>Library Persistent ID</key><string>A1B2C3D4E5F60718</string>
      \t<key>Tracks</key>
      \t<dict>

      """
    var numbers: [UUID: Int] = [:]
    for (place, track) in tracks.enumerated() {
      numbers[track.id] = place * 2 + 100
      text += "\t\t<key>\(place * 2 + 100)</key>\n\t\t<dict>\n"
      for (key, type, value) in fields(of: track, number: place * 2 + 100) {
        text += "\t\t\t<key>\(key)</key><\(type)>\(value)</\(type)>\n"
      }
      text += "\t\t</dict>\n"
      if place % 1000 == 0 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    text += "\t</dict>\n\t<key>Playlists</key>\n\t<array>\n"
    for (place, playlist) in playlists.enumerated() {
      text +=
        "\t\t<dict>\n\t\t\t<key>Name</key><string>\(playlist.name)</string>\n\t\t\t<key>Playlist ID</key><integer>\(place)</integer>\n"
      text += "\t\t\t<key>Playlist Persistent ID</key><string>\(String(format: "%016lX", place + 1))</string>\n"
      text += "\t\t\t<key>Playlist Items</key>\n\t\t\t<array>\n"
      for id in playlist.trackIDs {
        text += "\t\t\t\t<dict>\n\t\t\t\t\t<key>Track ID</key><integer>\(numbers[id] ?? 0)</integer>\n\t\t\t\t</dict>\n"
      }
      text += "\t\t\t</array>\n\t\t</dict>\n"
    }
    text += "\t</array>\n</dict>\n</plist>\n"
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private static func fields(of track: LibraryTrack, number: Int) -> [(String, String, String)] {
    func time(_ date: Date) -> String { date.ISO8601Format() }
    var fields = [
      ("Track ID", "integer", "\(number)"), ("Size", "integer", "\(track.file.sizeBytes ?? 0)"),
      ("Total Time", "integer", "\(Int((track.duration ?? 0) * 1000))"), ("Disc Number", "integer", "\(track.discNumber ?? 1)"),
      ("Track Number", "integer", "\(track.trackNumber ?? 1)"), ("Year", "integer", "\(track.year ?? 2000)"),
      ("Bit Rate", "integer", "256"), ("Sample Rate", "integer", "44100"), ("Play Count", "integer", "\(track.playCount)"),
    ]
    if let modified = track.file.modifiedAt ?? track.addedAt { fields.append(("Date Modified", "date", time(modified))) }
    if let added = track.addedAt { fields.append(("Date Added", "date", time(added))) }
    if let played = track.lastPlayedAt {
      fields.append(("Play Date", "integer", "\(Int(played.timeIntervalSince1970) + 2_082_844_800)"))
      fields.append(("Play Date UTC", "date", time(played)))
    }
    if let rating = track.rating { fields.append(("Rating", "integer", "\(rating)")) }
    fields += [
      ("Persistent ID", "string", track.persistentID ?? ""), ("Track Type", "string", "File"), ("Name", "string", track.title),
      ("Artist", "string", track.artist), ("Album", "string", track.album), ("Genre", "string", track.genre ?? ""),
      ("Kind", "string", "MPEG audio file"), ("Location", "string", track.file.location?.text ?? ""),
    ]
    if let artist = track.albumArtist { fields.append(("Album Artist", "string", artist)) }
    return fields
  }
}
