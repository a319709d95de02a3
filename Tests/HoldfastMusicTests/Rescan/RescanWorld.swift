import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

/// A library whose tracks are called by their title, and folders that a test writes down.
struct RescanWorld {
  let world: World
  var library: MusicStore { world.library }
  private var random = SeededGenerator(seed: 20)

  /// One track for each file, with plays and a place in a playlist; what is known of a file is what is given.
  init(_ tracks: [(title: String, file: TrackFile)]) async throws {
    world = try World.inMemory()
    let stored = tracks.map { title, file in
      LibraryTrack(id: random.id(), title: title, file: file, playCount: 3, rating: 80, addedAt: world.clock.now)
    }
    try await library.saveTracks(stored)
    try await library.savePlaylists([MusicPlaylist(id: random.id(), name: "List", trackIDs: stored.map(\.id))])
  }

  /// Tracks of files that were listed before; each is called as its file.
  init(_ files: [ScannedFile]) async throws {
    try await self.init(
      files.map { file in
        (
          file.path.split(separator: "/").last.map(String.init) ?? "",
          TrackFile(location: file.location, sizeBytes: file.sizeBytes, modifiedAt: file.modifiedAt, contentHash: file.contentHash)
        )
      })
  }

  func plan(_ listing: [ScannedFile], under roots: [String] = ["/Music"], unreadable: [String] = []) async throws -> String {
    await picture(try await library.rescanPlan(of: listing, under: roots, unreadable: unreadable))
  }

  /// Does it, whatever is missing, and says what was done.
  func rescan(_ listing: [ScannedFile], under roots: [String] = ["/Music"], unreadable: [String] = []) async throws -> String {
    let planned = try await library.rescanPlan(of: listing, under: roots, unreadable: unreadable)
    let before = try await others()
    let result = try await library.rescan(listing, under: roots, unreadable: unreadable, missingShareAllowed: 1)
    #expect(result == .done(planned))
    #expect(try await others() == before, "a rescan changes nothing but the files of tracks")
    // What was found is stored: the same listing finds nothing to change.
    #expect(try await library.rescanPlan(of: listing, under: roots, unreadable: unreadable).changes == [])
    return await picture(planned)
  }

  /// Everything but the files.
  private func others() async throws -> LibraryState {
    var state = try await library.state()
    for place in state.tracks.indices { state.tracks[place].file = TrackFile(location: nil) }
    return state
  }

  /// What the library says of each file: `title path availability size hash`.
  func files() async throws -> [String] {
    try await library.tracks().map { track in
      let file = track.file
      return [
        track.title, file.location?.path ?? "-", file.availability.rawValue, file.sizeBytes.map { "\($0)" } ?? "-", file.contentHash ?? "-",
      ].joined(separator: " ")
    }
  }

  /// One line of each kind that is there.
  func picture(_ plan: RescanPlan) async -> String {
    let titles = (try? await library.tracks()).map { Dictionary(uniqueKeysWithValues: $0.map { ($0.id, $0.title) }) } ?? [:]
    func lines(_ name: String, _ items: [String]) -> [String] { items.isEmpty ? [] : ["\(name): \(items.joined(separator: ", "))"] }
    func title(_ change: RescanPlan.Change) -> String { titles[change.trackID] ?? "?" }
    return
      (lines("moved", plan.moved.map { "\(title($0)) to \($0.after.location?.path ?? "-")" })
      + lines("missing", plan.missing.map(title)) + lines("back", plan.back.map(title)) + lines("changed", plan.changed.map(title))
      + lines("new", plan.new.map(\.path))
      + lines(
        "unclear",
        plan.unclear.map {
          "\($0.trackIDs.map { titles[$0] ?? "?" }.joined(separator: " ")) among \($0.files.map(\.path).joined(separator: " "))"
        }) + lines("repeated", plan.repeated.map(\.path))).joined(separator: "; ")
  }
}

extension ScannedFile {
  /// A file whose size, time and hash follow from one word for its content; without `hashed` the hash is not known.
  static func of(_ path: String, _ content: String, hashed: Bool = false) -> ScannedFile {
    let number = content.utf8.reduce(Int64(7)) { ($0 &* 31 &+ Int64($1)) % 100_000 }
    return ScannedFile(
      path: path, sizeBytes: 1000 + number, modifiedAt: Date(timeIntervalSince1970: Double(1_700_000_000 + number)),
      contentHash: hashed ? content : nil)
  }
}
