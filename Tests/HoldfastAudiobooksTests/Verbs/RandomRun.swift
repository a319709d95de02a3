import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("A long run") struct RandomRun {
  @Test("after each of hundreds of random verbs the library equals a model in memory", arguments: UInt64(40)..<(ProofRun.isLong ? 60 : 43))
  func againstModel(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    var model = LibraryModel()
    var copies: [AudiobookCollection] = []
    for step in 0..<400 {
      world.clock.advance(milliseconds: Int64.random(in: 1...5000, using: &random))
      let name = try await act(world, &model, &copies, &random)
      let loaded = try await world.library.collections()
      try #require(loaded == model.newestFirst, "seed \(seed), step \(step): \(name)")
      if step % 50 == 0 { copies = loaded }
    }
    try await compareLists(world, model)
    #expect(try world.isHealthy())
    try await world.store.vacuum()
    try await compareLists(world, model)
    let reopened = try AudiobookLibrary.open(at: try world.store.copy(), options: .testing)
    #expect(try await reopened.collections() == model.newestFirst)
  }

  /// One random verb on both. Returns its name.
  private func act(
    _ world: World, _ model: inout LibraryModel, _ copies: inout [AudiobookCollection], _ random: inout SeededGenerator
  ) async throws -> String {
    let library = world.library
    let now = world.clock.now
    let book = model.collections.values.sorted { IDCodec.lowercase($0.id) < IDCodec.lowercase($1.id) }.randomElement(using: &random)
    let track = book?.tracks.randomElement(using: &random)?.id
    guard model.collections.count > 1, let book, let track, !random.chance(12) else {
      let new = Sample.collection(&random, tracks: 1...6)
      try await library.save(new)
      try model.save(new)
      return "save a new collection"
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0:
      guard model.collections.count > 4 else { fallthrough }
      try await library.deleteCollection(book.id)
      model.collections[book.id] = nil
      return "delete"
    case 1, 2:
      // Stale as often as not: a copy from long ago, or one of now.
      var copy = copies.randomElement(using: &random) ?? book
      copy.title = random.pick(Sample.words)
      copy.tracks.shuffle(using: &random)
      if random.chance(30), copy.tracks.count > 1 { copy.tracks.removeLast() }
      if random.chance(30) { copy.tracks.insert(Sample.track(&random), at: 0) }
      copy.tags.shuffle(using: &random)
      copy.tags.append(random.pick(Sample.words))
      do {
        try model.save(copy)
        try await library.save(copy)
      } catch is LibraryModel.Taken {
        await #expect(throws: StoreError.self) { try await library.save(copy) }
      }
      return "save a copy"
    case 3:
      let title = random.pick(Sample.words)
      try await library.renameCollection(book.id, to: title)
      model.change(book.id, now) { $0.title = title }
      return "rename a collection"
    case 4:
      let new = (0..<Int.random(in: 1...3, using: &random)).map { Sample.track(&random, number: $0) }
      let before = random.chance(50) ? track : nil
      try await library.addTracks(new, to: book.id, before: before)
      model.change(book.id, now) { $0.tracks.insert(contentsOf: new, at: $0.place(before)) }
      return "add tracks"
    case 5:
      try await library.removeTracks([track])
      model.change(book.id, now) { $0.remove(track) }
      return "remove a track"
    case 6:
      let before = random.chance(70) ? book.tracks.randomElement(using: &random)?.id : nil
      try await library.moveTrack(track, before: before)
      model.move(track, before: before, in: book.id, now)
      return "move a track"
    case 7:
      var changed = Sample.track(&random)
      changed.id = track
      try await library.updateTracks([changed])
      model.change(book.id, now) { $0.tracks[$0.place(track)] = changed }
      return "update a track"
    case 8:
      let name = random.pick(Sample.words)
      try await library.renameTrack(track, to: name)
      model.change(book.id, now) { $0.tracks[$0.place(track)].displayName = name }
      return "rename a track"
    case 9, 10:
      let time = now.addingTimeInterval(random.pick([0, -100]))
      let state = PlaybackState(
        position: Double(Int.random(in: 0...5000, using: &random)), duration: random.pick([nil, 5000]), updatedAt: time)
      try await library.savePlaybackState(state, of: track)
      model.change(book.id, max(book.updatedAt, time)) {
        $0.playbackStates[track] = state
        $0.lastPlayedTrackID = track
      }
      return "save progress"
    case 11:
      let isFavorite = try await library.toggleFavorite(track: track)
      model.change(book.id, now) { $0.favorites[track] = isFavorite ? Favorite(favoritedAt: now) : nil }
      #expect(isFavorite == (book.favorites[track] == nil))
      return "toggle a favourite"
    default:
      let tag = random.pick(Sample.words)
      if book.tags.contains(tag) {
        #expect(try await library.removeTag(tag, from: book.id))
        model.change(book.id, now) { $0.tags.removeAll { $0 == tag } }
      } else {
        #expect(try await library.addTag(tag, to: book.id))
        model.change(book.id, now) { $0.tags.append(tag) }
      }
      return "tag"
    }
  }

  private func compareLists(_ world: World, _ model: LibraryModel) async throws {
    let books = Array(model.collections.values)
    #expect(try await world.library.playbackStates() == books.reduce(into: [:]) { $0.merge($1.playbackStates) { first, _ in first } })
    #expect(try await Set(world.library.favorites(limit: 10_000).items.map(\.track.id)) == Set(books.flatMap(\.favorites.keys)))
    let tags = books.flatMap(\.tags).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    #expect(try await world.library.tags().reduce(into: [:]) { $0[$1.tag] = $1.collections } == tags)
    let chapters = books.flatMap(\.tracks).filter { $0.displayName.contains("Chapter") }.map(\.id)
    let hits = try await world.library.search("chapter", limit: 10_000)
    #expect(Set(hits.compactMap { if case .track(let id, _, _, _) = $0 { id } else { nil } }) == Set(chapters))
    #expect(try await world.library.statistics().tracks == books.map(\.tracks.count).reduce(0, +))
  }
}

/// What the library should hold, in plain Swift.
struct LibraryModel {
  struct Taken: Error {}
  var collections: [UUID: AudiobookCollection] = [:]

  var newestFirst: [AudiobookCollection] { Sample.newestFirst(collections.values) }

  mutating func change(_ id: UUID, _ time: Date, _ body: (inout AudiobookCollection) -> Void) {
    guard var collection = collections[id] else { return }
    body(&collection)
    collection.updatedAt = time
    collections[id] = collection
  }

  mutating func move(_ track: UUID, before other: UUID?, in id: UUID, _ time: Date) {
    guard let old = collections[id], track != other, let from = old.tracks.firstIndex(where: { $0.id == track }) else { return }
    var tracks = old.tracks
    let moved = tracks.remove(at: from)
    tracks.insert(moved, at: tracks.firstIndex { $0.id == other } ?? tracks.count)
    if tracks != old.tracks { change(id, time) { $0.tracks = tracks } }
  }

  /// A save replaces everything but what was heard later than the copy knows.
  mutating func save(_ copy: AudiobookCollection) throws {
    let ids = Set(copy.tracks.map(\.id))
    let others = collections.values.filter { $0.id != copy.id }.flatMap(\.tracks).map(\.id)
    guard ids.isDisjoint(with: others) else { throw Taken() }
    var new = copy
    var seen: Set<String> = []
    new.tags = copy.tags.filter { seen.insert($0).inserted }
    new.favorites = copy.favorites.filter { ids.contains($0.key) }
    new.playbackStates = copy.playbackStates.filter { ids.contains($0.key) }
    if let last = copy.lastPlayedTrackID, !ids.contains(last) { new.lastPlayedTrackID = nil }
    if let stored = collections[copy.id] {
      for (id, state) in stored.playbackStates where ids.contains(id) {
        if let known = copy.playbackStates[id], known.updatedAt > state.updatedAt { continue }
        new.playbackStates[id] = state
      }
      if let last = stored.lastPlayedTrackID, ids.contains(last), let heard = stored.playbackStates[last],
        copy.playbackStates.values.allSatisfy({ $0.updatedAt < heard.updatedAt })
      {
        new.lastPlayedTrackID = last
      }
    }
    collections[copy.id] = new
  }
}

extension AudiobookCollection {
  fileprivate func place(_ id: UUID?) -> Int { tracks.firstIndex { $0.id == id } ?? tracks.count }

  fileprivate mutating func remove(_ id: UUID) {
    tracks.removeAll { $0.id == id }
    playbackStates[id] = nil
    favorites[id] = nil
    if lastPlayedTrackID == id { lastPlayedTrackID = nil }
  }
}
