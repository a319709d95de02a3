import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Rescan at random") struct RescanRandomRun {
  @Test("files that are moved, swapped, removed, restored and edited at random are those that a model says", arguments: [true, false])
  func againstModel(hashed: Bool) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("Rescan against a model: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try await RescanWorld([ScannedFile]())
    var disk = ModelDisk(hashed: hashed)
    var model = RescanModel()
    for round in 0..<150 {
      for _ in 0..<Int.random(in: 0...6, using: &random) { disk.change(&random) }
      let listing = disk.listing.shuffled(using: &random)
      let new = model.rescan(disk.files)
      let result = try await world.library.rescan(listing, under: ["/Music"], missingShareAllowed: 1)
      try #require(result.plan.new.map(\.path) == new, "seed \(seed), round \(round)")
      try #require(result.plan.unclear == [] && result.plan.repeated == [], "seed \(seed), round \(round)")
      let (found, expected) = await (try world.files(), model.tracks.map { $0.picture(disk) })
      let different = zip(found, expected).filter { $0 != $1 }.map { "\($0), not \($1)" }
      try #require(found == expected, "seed \(seed), round \(round): \(different)")
      // The app makes tracks of some of what is new.
      for path in new where random.chance(60) {
        guard let content = disk.files[path] else { continue }
        let file = disk.scanned(path, content)
        let title = "track \(model.tracks.count)"
        model.tracks.append(RescanModel.ModelTrack(title: title, path: path, content: content))
        try await world.library.saveTracks([
          LibraryTrack(
            id: random.id(), title: title,
            file: TrackFile(
              location: file.location, sizeBytes: file.sizeBytes, modifiedAt: file.modifiedAt, contentHash: file.contentHash),
            playCount: model.tracks.count, addedAt: random.date())
        ])
      }
    }
    #expect(try await world.library.tracks().map(\.playCount) == Array(1..<(model.tracks.count + 1)), "seed \(seed)")
    #expect(model.tracks.count > 20 && model.tracks.contains { !$0.isThere })
    #expect(try world.world.isHealthy())
  }
}

/// Files by path; what is in one is a number that no other file has.
private struct ModelDisk {
  let hashed: Bool
  var files: [String: Int] = [:]
  private var removed: [Int] = []
  private var contents = 0

  init(hashed: Bool) { self.hashed = hashed }

  var listing: [ScannedFile] { files.map { scanned($0.key, $0.value) } }

  func scanned(_ path: String, _ content: Int) -> ScannedFile {
    ScannedFile(
      path: path, sizeBytes: Int64(content), modifiedAt: Date(timeIntervalSince1970: Double(1_700_000_000 + content)),
      contentHash: hashed ? "content \(content)" : nil)
  }

  mutating func change(_ random: inout SeededGenerator) {
    // Few names, so that files come to where others were.
    let place = "/Music/\(random.pick(["a", "b", "c"]))/\(Int.random(in: 0..<8, using: &random)).mp3"
    let path = files.keys.sorted().randomElement(using: &random) ?? place
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      contents += 1
      put(contents, at: place)
    case 2, 3, 4: if let content = files.removeValue(forKey: path) { put(content, at: place) }
    case 5:
      if let content = files[path], let other = files.updateValue(content, forKey: place) {
        files[path] = other
      } else if place != path {
        files[path] = nil
      }
    case 6: if let content = files.removeValue(forKey: path) { removed.append(content) }
    case 7: if !removed.isEmpty { put(removed.removeLast(), at: place) }
    default:
      contents += 1
      files[path] = contents
    }
  }

  /// What was there can be restored.
  private mutating func put(_ content: Int, at path: String) {
    if let old = files.updateValue(content, forKey: path) { removed.append(old) }
  }
}

/// Which file is whose, track by track, as the rules say it where no two files are alike.
private struct RescanModel {
  struct ModelTrack {
    var title: String
    var path: String
    var content: Int
    var isThere = true

    func picture(_ disk: ModelDisk) -> String {
      "\(title) \(path) \(isThere ? "available" : "offline") \(content) \(disk.hashed ? "content \(content)" : "-")"
    }
  }

  var tracks: [ModelTrack] = []

  /// Returns the files of no track.
  mutating func rescan(_ files: [String: Int]) -> [String] {
    let places = Dictionary(files.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var after = tracks
    for number in tracks.indices {
      let track = tracks[number]
      if let path = target(number, files, places, []) {
        (after[number].path, after[number].isThere) = (path, true)
        after[number].content = files[path] ?? track.content
      } else {
        after[number].isThere = false
      }
    }
    tracks = after
    return files.keys.filter { path in !after.contains { $0.isThere && $0.path == path } }.sorted()
  }

  /// Where the track's file is; nil: nowhere.
  private func target(_ number: Int, _ files: [String: Int], _ places: [Int: String], _ asked: Set<Int>) -> String? {
    let track = tracks[number]
    if files[track.path] == track.content { return track.path }
    let elsewhere = places[track.content]
    guard let here = files[track.path] else { return elsewhere }
    let others = tracks.indices.filter { $0 != number && tracks[$0].path == track.path }
    // Another track at this place knows the file, or was not offline.
    if others.contains(where: { tracks[$0].content == here }) { return elsewhere }
    if !track.isThere, others.contains(where: { tracks[$0].isThere }) { return elsewhere }
    // Another track comes here for its content. One that asks in a circle does: all of them change places.
    let comes = tracks.indices.contains { other in
      other != number && tracks[other].content == here
        && (asked.contains(other) || target(other, files, places, asked.union([number])) == track.path)
    }
    return comes ? elsewhere : track.path
  }
}
