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
  private static let isLeft = "a known list keeps its folder, and a new list is put into no folder"

  /// The ledgers of earlier imports have these values in this order, so both must stay.
  private static let fields: FieldTable<SourceList> = [
    .optional("Playlist Persistent ID", \.row.persistentID, .iTunesID).ifWrong(fails: true),
    .init("Name", \.row.name, .text.otherwise(""), .empties).ifWrong(fails: true),
    .optional(parent, \.parent, .iTunesID, .keepsUnlessNull),
    .init("Folder", \.row.isFolder, .bool.otherwise(false), .empties),
  ]

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
      let known = Set(Self.fields.fields.map(\.name) + [Self.entries])
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
    row = unread.read(Self.fields, into: SourceList(row)).row.row
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
    if found["Master"]?.bool == true || found["Distinguished Kind"] != nil { return "a list that iTunes makes by itself" }
    guard !row.isFolder else { return nil }
    if found["Smart Info"] != nil || found["Smart Criteria"] != nil {
      return "the smart playlist \"\(row.name)\" is a rule, and this library keeps lists"
    }
    return found["Visible"]?.bool == false ? "iTunes does not show the list \"\(row.name)\"" : nil
  }

  var isRecord: Bool { problem == nil && skipped == nil }

  /// - Parameter reason: the error in the source's parent; nil when the source says that the list is at the top.
  mutating func leaveParent(_ reason: String?) {
    row.parentID = nil
    if let reason { members.leave(Self.parent, "\(reason); \(Self.isLeft)") } else { members.set(Self.parent, .null) }
  }

  /// Visits the list without its entries, which are records of their own.
  func visit(at position: Int, _ visit: ITunesScan.Visit) throws {
    var members = members
    let said = members.read(Self.fields, into: SourceList(row))
    let original = leftOutCharacter.map { SourceBytes.bytes($0.original) } ?? .made { [value] in value.xml }
    guard try members.finish(kind: "collections", path: path, original: original, at: position, visit) else { return }
    try leftOutCharacter?.tell("collections", path, at: position, visit)
    for name in leftOut {
      try visit(.skipped(kind: "playlist_notes", path: path, reason: FileList.leftOut(name, of: row.name)), position)
    }
    let content = MusicRecord.playlist(SourcePlaylist(said: said, table: Self.fields, hasPlace: true))
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(row.id), path: path, fields: content.fields, content: content, original: original)),
      position)
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
