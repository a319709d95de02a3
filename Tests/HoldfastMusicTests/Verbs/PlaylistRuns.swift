import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("A long run of playlists") struct PlaylistRuns {
  @Test(
    "after each of hundreds of random verbs the playlists equal a model in memory",
    arguments: UInt64(130)..<(ProofRun.isLong ? 150 : 132))
  func againstModel(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    let tracks = (0..<30).map { Sample.track("\($0)", &random) }
    try await world.library.saveTracks(tracks)
    var model = PlaylistModel(tracks: tracks.map(\.id))
    for step in 0..<400 {
      let name = try await act(world.library, &model, &random)
      try #require(try await world.library.playlists() == model.playlists, "seed \(seed), step \(step): \(name)")
      for list in model.lists where step % 10 == 0 || list.entries.count < 3 {
        let entries = try await world.library.entries(of: list.playlist.id, limit: 1000).items
        try #require(entries.map { PlaylistEntry(id: $0.id, trackID: $0.track.id) } == list.entries, "seed \(seed), step \(step): \(name)")
      }
    }
    #expect(try world.isHealthy())
    let reopened = try MusicStore.open(at: try world.store.copy(), options: .testing)
    #expect(try await reopened.playlists() == model.playlists)
  }

  /// One random verb on both. Returns its name.
  private func act(_ library: MusicStore, _ model: inout PlaylistModel, _ random: inout SeededGenerator) async throws -> String {
    let folder = random.chance(40) ? model.lists.filter(\.playlist.isFolder).randomElement(using: &random)?.playlist.id : nil
    guard model.lists.count > 3, let place = model.lists.indices.randomElement(using: &random), !random.chance(8) else {
      let isFolder = random.chance(40)
      let new = try await isFolder ? library.createFolder(named: "F", in: folder) : library.createPlaylist(named: "P", in: folder)
      model.lists.append(PlaylistModel.List(playlist: new, entries: []))
      return "create"
    }
    let id = model.lists[place].playlist.id
    let entry = model.lists[place].entries.randomElement(using: &random)?.id
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      guard model.lists.count > 8 else { fallthrough }
      try await library.deletePlaylist(id)
      model.delete(id)
      return "delete"
    case 1:
      let name = random.pick(Sample.words)
      try await library.renamePlaylist(id, to: name)
      model.lists[place].playlist.name = name
      return "rename"
    case 2, 3:
      let siblings = model.lists.filter { $0.playlist.parentID == model.lists[place].playlist.parentID }
      let other = random.chance(80) ? siblings.randomElement(using: &random)?.playlist.id : nil
      try await library.movePlaylist(id, before: other)
      model.move(id, before: other)
      return "move a playlist"
    case 4:
      if model.isBelow(folder, id) {
        await #expect(throws: StoreError.self) { try await library.movePlaylist(id, toFolder: folder) }
      } else {
        try await library.movePlaylist(id, toFolder: folder)
        model.move(id, toFolder: folder)
      }
      return "move a playlist to a folder"
    case 5, 6, 7:
      let tracks = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(model.tracks) }
      let other = random.chance(60) ? entry : nil
      guard !model.lists[place].playlist.isFolder else {
        await #expect(throws: StoreError.self) { try await library.addTracks(tracks, to: id, before: other) }
        return "add tracks to a folder"
      }
      let new = try await library.addTracks(tracks, to: id, before: other)
      #expect(new.map(\.trackID) == tracks)
      let at = model.lists[place].entries.firstIndex { $0.id == other } ?? model.lists[place].entries.count
      model.lists[place].entries.insert(contentsOf: new, at: at)
      return "add tracks"
    case 8:
      guard let entry else { return "nothing" }
      #expect(try await library.removeEntries([entry]) == 1)
      model.lists[place].entries.removeAll { $0.id == entry }
      return "remove an entry"
    case 9, 10:
      guard let entry else { return "nothing" }
      let other = random.chance(70) ? model.lists[place].entries.randomElement(using: &random)?.id : nil
      try await library.moveEntry(entry, before: other)
      model.lists[place].move(entry, before: other)
      return "move an entry"
    default:
      return try await save(library, &model, &random)
    }
  }

  /// All playlists as an app that holds them in memory saves them: in another order, with other entries.
  private func save(_ library: MusicStore, _ model: inout PlaylistModel, _ random: inout SeededGenerator) async throws -> String {
    var copy = model.playlists
    copy.shuffle(using: &random)
    for place in copy.indices where random.chance(30) {
      copy[place].trackIDs.shuffle(using: &random)
      if random.chance(50) { copy[place].trackIDs.append(random.pick(model.tracks)) }
      if random.chance(30) { copy[place].trackIDs = Array(copy[place].trackIDs.dropFirst()) }
    }
    let before = Dictionary(uniqueKeysWithValues: model.lists.map { ($0.playlist.id, $0.entries) })
    #expect(try await library.savePlaylists(copy, replacingAll: true) == [])
    model.lists = try await copy.asyncMap { playlist in
      let entries = try await library.entries(of: playlist.id, limit: 1000).items.map { PlaylistEntry(id: $0.id, trackID: $0.track.id) }
      #expect(entries.map(\.trackID) == playlist.trackIDs)
      let kept = Set(before[playlist.id, default: []]).intersection(entries).count
      #expect(
        kept == PlaylistModel.shared(before[playlist.id, default: []].map(\.trackID), playlist.trackIDs), "an entry that stays is the same")
      return PlaylistModel.List(playlist: playlist, entries: entries)
    }
    return "save"
  }
}

/// What the playlists should be, in plain Swift.
private struct PlaylistModel {
  struct List {
    var playlist: MusicPlaylist
    var entries: [PlaylistEntry]

    mutating func move(_ entry: UUID, before other: UUID?) {
      guard entry != other, let from = entries.firstIndex(where: { $0.id == entry }) else { return }
      let moved = entries.remove(at: from)
      entries.insert(moved, at: entries.firstIndex { $0.id == other } ?? entries.count)
    }
  }

  var lists: [List] = []
  let tracks: [UUID]

  init(tracks: [UUID]) { self.tracks = tracks }

  var playlists: [MusicPlaylist] {
    lists.map { list in
      var playlist = list.playlist
      playlist.trackIDs = list.entries.map(\.trackID)
      return playlist
    }
  }

  mutating func delete(_ id: UUID) {
    lists.removeAll { $0.playlist.id == id }
    for place in lists.indices where lists[place].playlist.parentID == id { lists[place].playlist.parentID = nil }
  }

  mutating func move(_ id: UUID, before other: UUID?) {
    guard id != other, let from = lists.firstIndex(where: { $0.playlist.id == id }) else { return }
    let moved = lists.remove(at: from)
    lists.insert(moved, at: lists.firstIndex { $0.playlist.id == other } ?? lists.count)
  }

  mutating func move(_ id: UUID, toFolder folder: UUID?) {
    guard let place = lists.firstIndex(where: { $0.playlist.id == id }), lists[place].playlist.parentID != folder else { return }
    lists[place].playlist.parentID = folder
    move(id, before: nil)
  }

  /// Whether `folder` is `id` or in it.
  func isBelow(_ folder: UUID?, _ id: UUID) -> Bool {
    guard let folder else { return false }
    return folder == id || isBelow(lists.first { $0.playlist.id == folder }?.playlist.parentID, id)
  }

  /// How many places the two have in common, whatever their order.
  static func shared(_ left: [UUID], _ right: [UUID]) -> Int {
    var counts = left.reduce(into: [UUID: Int]()) { $0[$1, default: 0] += 1 }
    return right.count { id in
      guard let count = counts[id], count > 0 else { return false }
      counts[id] = count - 1
      return true
    }
  }
}
