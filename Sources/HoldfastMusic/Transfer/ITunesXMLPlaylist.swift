import Foundation
import Holdfast
import HoldfastTransfer

/// One playlist of a `Library.xml`, as far as it can be read, with its entries.
struct ITunesPlaylist {
  /// Why it cannot be imported; nil when it can.
  private(set) var problem: String?
  /// Why it is left out although nothing is wrong with it.
  private(set) var skipped: String?
  /// What a playlist of this library has no place for.
  private(set) var leftOut: [String] = []
  /// What it is imported without.
  private(set) var damaged: [(key: String, reason: String, value: Plist)] = []
  /// Without entries.
  private(set) var playlist: MusicPlaylist
  /// The Persistent ID of its folder, as the source has it.
  private(set) var parent: String?
  /// What can be read: a list whose folder cannot stays where it is.
  private(set) var carries: PlaylistFields = [.place, .parent, .folder, .persistentID]
  let items: [ITunesItem]
  /// In the list of the file.
  private let index: Int
  private let value: Plist

  static let parentKey = "Parent Persistent ID"
  static let left = "the list stays where it is here, and a new one comes to the top"

  /// What says nothing beyond the rest, or is left out with its list.
  private static let others: Set<String> = [
    "Playlist ID", "All Items", "Visible", "Master", "Distinguished Kind", "Smart Info", "Smart Criteria", "Playlist Items", "Music",
    "Movies", "TV Shows", "Podcasts", "Audiobooks", "Books", "Purchased Music", "Party Shuffle", "iTunesU",
  ]

  init(_ value: Plist, at index: Int, _ items: [ITunesItem]) {
    self.value = value
    self.index = index
    self.items = items
    playlist = MusicPlaylist(id: .zero, name: "")
    guard case .dict(let members) = value else {
      problem = "a playlist should be a dict"
      return
    }
    var found: [String: Plist] = [:]
    for member in members where found.updateValue(member.value, forKey: member.key) != nil { fail("\(member.key) stands twice") }
    if let name = found["Name"] { takeName(name) }
    if let folder = found["Folder"] {
      if let isFolder = folder.bool {
        playlist.isFolder = isFolder
      } else {
        damaged.append(("Folder", "Folder should be true or false", folder))
        carries.remove(.folder)
      }
    }
    skipped = reasonToSkip(found)
    takeIDs(found)
    for (key, value) in found.sorted(by: { $0.key < $1.key }) where !Self.others.contains(key) && !value.isEmpty {
      if ["Name", "Folder", "Playlist Persistent ID", Self.parentKey].contains(key) { continue }
      leftOut.append(key)
    }
    // An array was given away entry by entry.
    if let items = found["Playlist Items"] { damaged.append(("Playlist Items", "Playlist Items should be a list of entries", items)) }
  }

  /// Of lists of one name, which.
  mutating func takeName(number: Int) { playlist.id = NewID.derived(from: "itunes list/\(number)/\(playlist.name)") }

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  private mutating func takeName(_ value: Plist) {
    if let name = value.string { playlist.name = name } else { fail("Name should be a text") }
  }

  private mutating func takeIDs(_ found: [String: Plist]) {
    if let text = found["Playlist Persistent ID"] {
      guard let id = text.string, let uuid = ITunesID.uuid(id) else {
        return fail("Playlist Persistent ID should be 16 hexadecimal digits")
      }
      playlist.id = uuid
      playlist.persistentID = id
    } else {
      // Early versions had none: the name is then the list.
      guard !playlist.name.isEmpty else { return fail("Playlist Persistent ID is missing, and so is the name") }
      takeName(number: 1)
    }
    guard let value = found[Self.parentKey] else { return }
    if let text = value.string, let id = ITunesID.uuid(text) {
      playlist.parentID = id
      parent = text
    } else {
      damaged.append((Self.parentKey, "Parent Persistent ID should be 16 hexadecimal digits; \(Self.left)", value))
      carries.remove(.parent)
    }
  }

  /// A folder is made by a rule too, and is none of these lists.
  private func reasonToSkip(_ found: [String: Plist]) -> String? {
    if found["Master"]?.bool == true || found["Distinguished Kind"] != nil { return "a list that iTunes makes by itself" }
    guard !playlist.isFolder else { return nil }
    if found["Smart Info"] != nil || found["Smart Criteria"] != nil {
      return "the smart playlist \"\(playlist.name)\" is a rule, and this library keeps lists"
    }
    return found["Visible"]?.bool == false ? "iTunes does not show the list \"\(playlist.name)\"" : nil
  }

  var isRecord: Bool { problem == nil && skipped == nil }
  var path: SourcePath { .text("Playlists[\(index)]") }

  /// Without its entries: each of them is a record.
  var original: SourceBytes { .made { [value] in value.xml } }

  /// - Parameter isSaid: the source says that it is at the top; false: what it says cannot be.
  mutating func leaveParent(isSaid: Bool) {
    playlist.parentID = nil
    parent = nil
    if !isSaid { carries.remove(.parent) }
  }

  // MARK: The source's own shape

  var record: SourceRecord<MusicRecord> {
    let row = PlaylistRow(playlist, at: ListPlace.position(at: index))
    return SourceRecord(
      kind: "collections", key: IDCodec.lowercase(playlist.id), path: path,
      fields: Self.fields(playlist, carries, parent: parent, place: Int64(index)),
      content: .playlist(SourcePlaylist(row: row, carries: carries)),
      original: original)
  }

  private static func fields(_ playlist: MusicPlaylist, _ carries: PlaylistFields, parent: String?, place: Int64) -> [SourceField] {
    [
      SourceField("Playlist Persistent ID", .text(playlist.persistentID?.uppercased())), SourceField("Name", .string(playlist.name)),
      SourceField(parentKey, carries.contains(.parent) ? .text(parent?.uppercased()) : .null),
      SourceField("Folder", carries.contains(.folder) ? .bool(playlist.isFolder) : .null),
      SourceField("place", .integer(place), isPlace: true),
    ]
  }

  static func stored(_ source: SourcePlaylist, in reader: Reader) throws -> [SourceField]? {
    guard let row = try reader.find(PlaylistRow.self, id: source.row.id) else { return nil }
    // A folder that iTunes does not know is not the top.
    let parent = try row.parentID.map { try reader.find(PlaylistRow.self, id: $0)?.persistentID ?? IDCodec.lowercase($0) }
    return fields(row.playlist, source.carries, parent: parent, place: ListPlace.index(of: row.position))
  }
}

/// One entry of a playlist, which names a track of the same file.
enum ITunesItem {
  case track(Int64)
  case damaged(Plist)

  init(_ value: Plist) {
    if case .dict(let members) = value, members.count == 1, let member = members.first, member.key == ITunesTrack.Field.trackID,
      let id = member.value.integer
    {
      self = .track(id)
    } else {
      self = .damaged(value)
    }
  }

  var xml: String {
    switch self {
    case .track(let id): "<dict><key>Track ID</key><integer>\(id)</integer></dict>"
    case .damaged(let value): value.xml
    }
  }

  static func fields(list: String?, track: String?, place: Int64) -> [SourceField] {
    [
      SourceField("Playlist Persistent ID", .text(list?.uppercased())), SourceField("Persistent ID", .text(track?.uppercased())),
      SourceField("place", .integer(place), isPlace: true),
    ]
  }

  static func stored(_ id: UUID, in reader: Reader) throws -> [SourceField]? {
    try reader.value(
      """
      SELECT c.persistent_id, t.persistent_id, e.position FROM collection_tracks e
      JOIN collections c ON c.id = e.collection_id JOIN tracks t ON t.id = e.track_id WHERE e.id = \(id)
      """
    ) { row in
      let (list, track) = (try row.textOrNil(), try row.textOrNil())
      return fields(list: list, track: track, place: ListPlace.index(of: try row.int64()))
    }
  }
}
