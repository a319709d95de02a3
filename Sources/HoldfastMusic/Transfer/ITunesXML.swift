import Foundation
import Holdfast
import HoldfastTransfer

/// The library that iTunes and Apple's Music export: `iTunes Library.xml`, `Library.xml`, a property list in XML.
///
/// A track's and a playlist's key is the Persistent ID; in libraries without it, the file's place and the list's name. Track IDs differ
/// in every export, and only link playlists to tracks within one file. The file is read twice as a stream, and never held as a whole. The
/// quarantine keeps a record as a new property list: the same keys and values, without the source's white space.
struct ITunesXML: ImportFormat {
  let name = "itunes-xml"
  let version = 1
  let kinds = MusicRecord.kinds.filter { $0.name != "artwork" }
  let laterIndexes = MusicRecord.laterIndexes
  let total: Int
  /// The library's id, the same for each of its exports.
  let origin: String?
  private let source: ImportSource
  private let tracks: RecordKind<LibraryTrack>

  /// - Parameter timeZone: the time zone of the computer that played the tracks, for exports with local times only.
  /// - Throws: `.invalidSource` for a binary property list.
  init(_ source: ImportSource, timeZone: TimeZone) throws {
    guard try source.peek(6) != Data("bplist".utf8) else {
      throw StoreError(
        .invalidSource, "\(source.url.path) is a binary property list",
        suggestion: "Export the library as XML: in Music or iTunes with File, Library, Export Library.")
    }
    self.source = source
    origin = Self.libraryID(of: source).map { "itunes \($0.uppercased())" }
    total = Int(clamping: source.bytes)
    tracks = .tracks(ITunesTrack.fields(MacClock(timeZone: timeZone)))
  }

  /// Read from the start of the file, before the tracks. Nil when there is no id, or the file cannot be read so far; then the
  /// scan throws.
  private static func libraryID(of source: ImportSource) -> String? {
    struct Found: Error { let id: String? }
    var plist = PlistReader()
    do {
      try source.xml { event, place in
        if plist.isLibrary { throw Found(id: nil) }
        try plist.take(event, at: place) { found in
          if case .member("Library Persistent ID", let value) = found { throw Found(id: value.string) }
        }
      }
    } catch {
      return (error as? Found)?.id
    }
    return nil
  }

  /// A part of the library that was read.
  private enum Part: Sendable {
    /// With its value, its key, and how far the file was read.
    case track(ITunesTrack, Plist, String, XMLLeftOut?, Int)
    case item(ITunesItem)
    case playlist(Plist, XMLLeftOut?)
    /// A character was left out that belongs to no track and no playlist, at this line.
    case leftOut(line: Int)
  }

  /// - Throws: `.invalidSource` with the line or the offset; `.newerSource`.
  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = ITunesScan()
    let (source, tracks, path) = (source, tracks, source.url.path)
    let isLibrary = try ReadAhead.run(
      { put in
        var plist = PlistReader()
        // A forbidden character in a track or playlist is reported with that record; any other one becomes a note.
        var told = 0
        func note(_ count: Int, _ line: Int) throws {
          if count > told { try put(Part.leftOut(line: line)) }
          told = max(told, count)
        }
        let reading = try source.xml { event, place in
          try plist.take(event, at: place) { found in
            switch found {
            case .member(let key, let value):
              try Self.check(key, value, path)
              try note(place.leftOut, place.leftOutLine)
            case .track(let key, let value, let leftOut, let before):
              try note(before, place.leftOutLine)
              told = place.leftOut
              try put(Part.track(ITunesTrack(value, key: key, tracks.fields), value, key, leftOut, place.position))
            case .item(let value): try put(.item(ITunesItem(value)))
            case .playlist(let value, let leftOut, let before):
              try note(before, place.leftOutLine)
              told = place.leftOut
              try put(.playlist(value, leftOut))
            }
          }
        }
        try note(reading.leftOut, reading.leftOutLine)
        return plist.isLibrary
      },
      use: { part in
        switch part {
        case .track(let track, let value, let key, let leftOut, let position):
          try scan.track(track, value, key, leftOut, tracks, at: position, visit)
        case .item(let item): scan.items.append(item)
        case .playlist(let value, let leftOut): scan.playlist(value, leftOut)
        case .leftOut(let line): try visit(.note(XMLLeftOut.reason, path: .text("line \(line)")), 0)
        }
      })
    guard isLibrary else {
      throw StoreError(.invalidSource, "\(source.url.path) is a property list and not a music library: it has no Tracks and no Playlists")
    }
    try scan.playlists(reader, at: total, visit)
  }

  private static func check(_ key: String, _ value: Plist, _ path: String) throws {
    switch key {
    case "Major Version":
      guard case .scalar(.integer, let text) = value else { return }
      // A number with more digits than an integer holds is a newer version.
      let isGreat = Int64(text) == nil && !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isGreat || value.integer ?? 0 > 1 else { return }
      throw StoreError(
        .newerSource, "this library has version \(text), which is newer than 1, the newest that can be read; nothing was changed")
    case "Tracks", "Playlists":
      throw StoreError(.invalidSource, "\(path) is not a music library: \(key) is not a list of them")
    default: break
    }
  }
}

extension XMLLeftOut {
  func tell(_ kind: String, _ path: SourcePath, at position: Int, _ visit: ITunesScan.Visit) throws {
    let reason = "\(Self.reason) at line \(line)"
    try visit(.damagedField(kind: kind, field: field, path: path, reason: reason, original: .bytes(original)), position)
  }
}

/// The state of one reading of a `Library.xml`.
struct ITunesScan {
  typealias Visit = (Scanned<SaidContent>, Int) throws -> Void

  /// The result for a Track ID of this file.
  private enum Place: Equatable {
    /// With its Persistent ID as a number, to save memory: there may be many tracks.
    case track(UUID, UInt64?)
    case quarantined
    /// Two tracks have this Track ID.
    case several
  }

  private var places: [Int64: Place] = [:]
  /// The tracks that nothing but their names tells from others.
  private var named: [UUID: [SourceField]] = [:]
  /// The entries of the playlist that is being read.
  var items: [ITunesItem] = []
  private var lists: [ITunesPlaylist] = []
  private var ids: Set<UUID> = []

  mutating func track(
    _ track: ITunesTrack, _ value: Plist, _ key: String, _ leftOut: XMLLeftOut?, _ tracks: RecordKind<LibraryTrack>, at position: Int,
    _ visit: Visit
  ) throws {
    var parsed = track
    let (said, path) = (parsed.said, SourcePath.text("Tracks.\(key)"))
    let original = leftOut.map { SourceBytes.bytes($0.original) } ?? .made { value.xml }
    if let id = parsed.trackID {
      // Of two that only their names tell, and that differ otherwise, the second does not come in.
      let isAnother = parsed.isKnownByNames && named[said.row.id, default: said.fields] != said.fields
      if parsed.isKnownByNames, !isAnother { named[said.row.id] = said.fields }
      let place =
        parsed.members.problem == nil && !isAnother
        ? Place.track(said.row.id, said.row.persistentID.flatMap { UInt64($0, radix: 16) }) : .quarantined
      places[id] = places[id].map { $0 == place ? place : .several } ?? place
    }
    guard try parsed.members.finish(kind: "tracks", path: path, original: original, at: position, visit) else { return }
    try leftOut?.tell("tracks", path, at: position, visit)
    let note = said.says("Date Added") ? nil : "the source does not say when it was added: a new track has no such date"
    try visit(.record(tracks.record(said, path: path, original: original, note: note)), position)
  }

  mutating func playlist(_ value: Plist, _ leftOut: XMLLeftOut?) {
    var list = ITunesPlaylist(value, leftOut, at: lists.count, items)
    var number = 1
    while list.isRecord, !ids.insert(list.row.id).inserted {
      number += 1
      if list.row.persistentID == nil {
        list.row.id = list.id(number: number)
      } else {
        list.fail("an earlier list in the source has the same id")
      }
    }
    lists.append(list)
    items = []
  }

  func playlists(_ reader: Reader, at position: Int, _ visit: Visit) throws {
    let deletedTracks = try reader.deletedSinceImport(kind: "tracks", table: "tracks")
    let deletedFolders = try reader.deletedSinceImport(kind: "collections", table: "collections")
    // Parents may come after their children in the file.
    let folders = Folders(lists.compactMap { $0.isRecord ? $0.row.playlist : nil })
    for list in foldersFirst(folders) where list.skipped == nil {
      try playlist(list, folders, deletedFolders, position, visit)
      try entries(of: list, deletedTracks, position, visit)
    }
    for list in lists {
      if let reason = list.skipped { try visit(.skipped(kind: "collections", path: list.path, reason: reason), position) }
    }
  }

  /// The lists, each after its folder, because the folder must be decided first; otherwise in the file's order.
  private func foldersFirst(_ folders: Folders) -> [ITunesPlaylist] {
    let places = Dictionary(
      lists.enumerated().lazy.filter { $1.isRecord }.map { ($1.row.id, $0) }, uniquingKeysWith: { first, _ in first })
    var ordered: [ITunesPlaylist] = []
    var done: Set<Int> = []
    for place in lists.indices {
      var chain: [Int] = []
      var next: Int? = place
      while let at = next, done.insert(at).inserted {
        chain.append(at)
        next = lists[at].isRecord ? folders.parent(of: lists[at].row.playlist).flatMap { places[$0] } : nil
      }
      ordered += chain.reversed().map { lists[$0] }
    }
    return ordered
  }

  private func playlist(_ list: ITunesPlaylist, _ folders: Folders, _ deleted: Set<String>, _ position: Int, _ visit: Visit) throws {
    var list = list
    if list.row.parentID != nil, folders.parent(of: list.row.playlist) == nil {
      list.leaveParent("there is no such folder, or it is inside of itself")
    } else if let parent = list.row.parentID, deleted.contains(IDCodec.lowercase(parent)) {
      list.leaveParent(nil)
    }
    try list.visit(at: position, visit)
  }

  private func entries(of list: ITunesPlaylist, _ deleted: Set<String>, _ position: Int, _ visit: Visit) throws {
    var numbers: [UUID: Int] = [:]
    for (index, item) in list.items.enumerated() {
      let path = SourcePath.text("\(list.path).Playlist Items[\(index)]")
      let original = SourceBytes.made { item.xml }
      func damaged(_ reason: String) throws {
        try visit(.damaged(kind: "collection_tracks", path: path, reason: reason, original: original), position)
      }
      guard list.problem == nil else {
        try damaged("its playlist is quarantined")
        continue
      }
      guard case .track(let trackID) = item else {
        try damaged("an entry should be a dict with a Track ID")
        continue
      }
      switch places[trackID] {
      case nil: try damaged("there is no such track")
      case .quarantined?: try damaged("its track is quarantined")
      case .several?: try damaged("several tracks have this Track ID")
      case .track(let id, _)? where deleted.contains(IDCodec.lowercase(id)):
        try visit(.skipped(kind: "collection_tracks", path: path, reason: "its track was deleted since it was imported"), position)
      case .track(let id, let persistentID)?:
        let number = numbers[id, default: 0]
        numbers[id] = number + 1
        let row = MusicRecord.entry(of: id, number: number, in: list.row.id, at: index)
        let entry = ITunesEntry(row: row, list: list.row.persistentID, track: persistentID.map(ITunesID.text))
        let said = ITunesEntry.kind.fields.said(entry)
        try visit(.record(ITunesEntry.kind.record(said, path: path, original: original)), position)
      }
    }
  }
}
