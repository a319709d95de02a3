import Foundation
import Holdfast
import HoldfastTransfer

/// The readable part of one playlist of a `Library.xml`, with its entries.
struct ITunesPlaylist {
  /// Members not read yet: all folders are known only at the end of the file.
  private var members: SourceMembers
  /// The row that was read.
  var row: PlaylistRow
  /// Why the playlist cannot be imported; nil when it can.
  var problem: String? { members.problem }
  /// Why an undamaged playlist is left out.
  private(set) var skipped: String?
  /// Facts that a playlist of this library has no field for.
  private var leftOut: [String] = []
  let items: [ITunesItem]
  let path: SourcePath
  private let value: Plist
  private let leftOutCharacter: XMLLeftOut?

  private static let parent = "Parent Persistent ID"
  private static let entries = "Playlist Items"

  /// The ledgers of earlier imports have these values in this order, so both must stay.
  private static let kind = RecordKind.playlists(
    [
      .optional("Playlist Persistent ID", \.row.persistentID, .iTunesID).ifWrong(fails: true),
      .init("Name", \.row.name, .text.otherwise(""), .empties).ifWrong(fails: true),
      .optional(parent, \.parent, .iTunesID, .keepsUnlessNull),
      .init("Folder", \.row.isFolder, .bool.otherwise(false), .empties),
    ], hasPlace: true)

  /// Keys that add nothing to the rest, or are left out with their list.
  private static let others: Set<String> = [
    "Playlist ID", "All Items", "Visible", "Master", "Distinguished Kind", "Smart Info", "Smart Criteria", "Music", "Movies", "TV Shows",
    "Podcasts", "Audiobooks", "Books", "Purchased Music", "Party Shuffle", "iTunesU",
  ]

  init(_ value: Plist, _ character: XMLLeftOut?, at index: Int, _ items: [ITunesItem]) {
    (self.value, self.items, path, leftOutCharacter) = (value, items, .text("Playlists[\(index)]"), character)
    members = SourceMembers([:])
    row = PlaylistRow(MusicPlaylist(id: .zero, name: ""), at: ListPlace.position(at: index))
    var found: [String: Plist] = [:]
    if case .dict(let all) = value {
      let known = Set(Self.kind.fields.fields.map(\.name) + [Self.entries])
      for member in all {
        if found.updateValue(member.value, forKey: member.key) != nil { members.failRepeated(member.key) }
        if known.contains(member.key) { members.add(member) }
      }
      leftOut = found.filter { !known.contains($0.key) && !Self.others.contains($0.key) && !$0.value.isEmpty }.keys.sorted()
    } else {
      fail("a playlist should be a dict")
    }
    // The array was already read entry by entry.
    members.leave(Self.entries, "\(Self.entries) should be a list of entries")
    if found[Self.parent] == nil { leaveParent(nil) }
    if let parent = found[Self.parent], parent.string.flatMap(ITunesID.uuid) == nil {
      leaveParent("\(Self.parent) should be 16 hexadecimal digits")
    }
    var unread = members
    row = unread.read(Self.kind.fields, into: SourceList(row)).row.row
    if let problem = unread.problem { fail(problem) }
    skipped = reasonToSkip(found)
    // Early versions had no Persistent IDs; then the name identifies the list.
    row.id = row.persistentID.flatMap(ITunesID.uuid) ?? id(number: 1)
    if row.persistentID == nil, row.name.isEmpty { fail("Playlist Persistent ID is missing, and so is the name") }
  }

  /// The id of the nth list with this name.
  func id(number: Int) -> UUID { NewID.derived(from: "itunes list/\(number)/\(row.name)") }

  mutating func fail(_ reason: String) { members.fail(reason) }

  /// Folders have a rule too, but are not left out.
  private func reasonToSkip(_ found: [String: Plist]) -> String? {
    if found["Master"]?.json == .bool(true) || found["Distinguished Kind"] != nil { return "a list that iTunes makes by itself" }
    guard !row.isFolder else { return nil }
    if found["Smart Info"] != nil || found["Smart Criteria"] != nil {
      return "the smart playlist \"\(row.name)\" is a rule, and this library keeps lists"
    }
    return found["Visible"]?.json == .bool(false) ? "iTunes does not show the list \"\(row.name)\"" : nil
  }

  var isRecord: Bool { problem == nil && skipped == nil }

  /// - Parameter reason: the error in the source's parent; nil when the source says that the list is at the top.
  mutating func leaveParent(_ reason: String?) {
    row.parentID = nil
    if let reason {
      members.leave(Self.parent, "\(reason); a known list keeps its folder, and a new list is put into no folder")
    } else {
      members.set(Self.parent, .null)
    }
  }

  /// Visits the list without its entries, which are records of their own.
  func visit(at position: Int, _ visit: ITunesScan.Visit) throws {
    var members = members
    let said = members.read(Self.kind.fields, into: SourceList(row))
    let original = leftOutCharacter.map { SourceBytes.bytes($0.original) } ?? .made { [value] in value.xml }
    guard try members.finish(kind: "collections", path: path, original: original, at: position, visit) else { return }
    try leftOutCharacter?.tell("collections", path, at: position, visit)
    for name in leftOut {
      try visit(.skipped(kind: "playlist_notes", path: path, reason: FileList.leftOut(name, of: row.name)), position)
    }
    try visit(.record(Self.kind.record(said, path: path, original: original)), position)
  }
}

/// One entry of a playlist: it names a track of the same file.
enum ITunesItem: Sendable {
  case track(Int64)
  case damaged(Plist)

  init(_ value: Plist) {
    if case .dict(let members) = value, members.count == 1, let member = members.first, member.key == ITunesTrack.trackIDKey,
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
}

/// An entry with the Persistent IDs of its list and its track, by which it is compared.
struct ITunesEntry: Sendable {
  var row: EntryRow
  var list: String?
  var track: String?

  static let kind = RecordKind<ITunesEntry>(
    "collection_tracks", table: EntryRow.table,
    [.optional("Playlist Persistent ID", \.list, .iTunesID), .optional("Persistent ID", \.track, .iTunesID)],
    key: { IDCodec.lowercase($0.row.id) }, parent: { MusicRecord.playlist($0.row.collectionID) },
    place: .list(\.row.position) { "collection_id = \($0.row.collectionID) AND id <> \($0.row.id)" }, find: { try $0.row.stored(in: $1) },
    isReplaced: true, save: { try $2.upsert($0.row) })

  private func stored(in reader: Reader) throws -> ITunesEntry? {
    try reader.value(
      """
      SELECT c.persistent_id, t.persistent_id, e.position FROM collection_tracks e
      JOIN collections c ON c.id = e.collection_id JOIN tracks t ON t.id = e.track_id WHERE e.id = \(row.id)
      """
    ) { values in
      var stored = ITunesEntry(row: row, list: try values.textOrNil(), track: try values.textOrNil())
      stored.row.position = try values.int64()
      return stored
    }
  }
}
