import Foundation

/// Finds which listed file belongs to which track. A value: it reads nothing and writes nothing.
///
/// Tracks with the same key and the same stored facts share a place. A place is settled when its file is there and no fact says that the
/// content is another. It is displaced when the file there has another content, and absent when there is no file. Files of no settled
/// place are free, and places that are not settled look for their content among them. A displaced place gives up its file only to another
/// place with that content, as when two files have swapped names; otherwise its file was edited. If several places have one key, the file
/// belongs to the places whose facts match it, or else to those that were not offline; the others have no file.
struct RescanMatching {
  /// The stored facts of a track's file.
  struct Known {
    var id: UUID
    var key: String
    var file: TrackFile
  }

  private struct Place {
    let key: String
    let contentHash: String?
    let facts: Facts?
    let isJudged: Bool
    var tracks: [UUID] = []
    var isOffline = true
    /// The listed file at the place's key.
    var file: Int?
  }

  private struct PlaceKey: Hashable {
    var key: String
    var contentHash: String?
    var facts: Facts?
  }

  /// Times are compared to the second: iTunes, many volumes and many copies keep no more.
  private struct Facts: Hashable {
    var sizeBytes: Int64
    var modifiedAtSeconds: Double

    init?(_ sizeBytes: Int64?, _ modifiedAt: Date?) {
      guard let sizeBytes, let modifiedAt else { return nil }
      self.sizeBytes = sizeBytes
      modifiedAtSeconds = Self.seconds(modifiedAt)
    }

    static func seconds(_ date: Date) -> Double { date.timeIntervalSince1970.rounded(.down) }
  }

  private let tracks: [Known]
  private var files: [ScannedFile] = []
  private var repeated: [ScannedFile] = []
  private var places: [Place] = []
  /// The place of each track, in the order of `tracks`.
  private var placeOfTrack: [Int] = []
  /// Places that look for their file, in the library's order.
  private var open: [Int] = []
  private var free: Set<Int> = []
  /// The free file that each place takes. `taker` is the reverse.
  private var taken: [Int: Int] = [:]
  private var taker: [Int: Int] = [:]
  /// Places with several possible files, and these files.
  private var unclear: [(places: [Int], files: [Int])] = []

  init(_ listing: [ScannedFile], _ tracks: [Known], roots: FolderKeys, unreadable: FolderKeys) {
    self.tracks = tracks
    // A file that is not audio may be a track's only if another track has its extension: no picture is taken for a song.
    let endings = Set(tracks.map { ScannedFile.ending(ScannedFile.name($0.key)) })
    take(listing.filter { $0.isAudio || endings.contains(ScannedFile.ending($0.name)) })
    let keys = Dictionary(files.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    var known: [PlaceKey: Int] = [:]
    for track in tracks {
      let key = PlaceKey(
        key: track.key, contentHash: track.file.contentHash, facts: Facts(track.file.sizeBytes, track.file.modifiedAt))
      let number = known[key] ?? places.count
      if number == places.count {
        known[key] = number
        places.append(
          Place(
            key: key.key, contentHash: key.contentHash, facts: key.facts,
            isJudged: roots.contain(key.key) && !unreadable.contain(key.key), file: keys[key.key]))
      }
      places[number].tracks.append(track.id)
      if track.file.availability != .offline { places[number].isOffline = false }
      placeOfTrack.append(number)
    }
    shareFiles()
    free = Set(files.indices)
    for (number, place) in places.enumerated() {
      if let file = place.file, !place.isJudged || isSame(place, files[file]) != false {
        free.remove(file)
      } else if place.isJudged || place.isOffline {
        open.append(number)
      }
    }
  }

  /// Decides which of the places with one key have the file there.
  private mutating func shareFiles() {
    for same in Dictionary(grouping: places.indices.filter { places[$0].file != nil }, by: { places[$0].key }).values where same.count > 1 {
      let know = same.filter { number in
        let isSame = places[number].file.flatMap { self.isSame(places[number], files[$0]) }
        return isSame == true || isSame == nil && !places[number].isOffline
      }
      let were = same.filter { !places[$0].isOffline }
      let owners = Set(know.isEmpty ? (were.isEmpty ? same : were) : know)
      for number in same where !owners.contains(number) { places[number].file = nil }
    }
  }

  /// Keeps one file for each key: of two, the file that a track names word for word, otherwise the first.
  private mutating func take(_ listing: [ScannedFile]) {
    let names = Set(tracks.compactMap { $0.file.location?.text })
    var seen: [String: Int] = [:]
    for file in listing.sorted(by: { $0.key < $1.key }) {
      guard let place = seen[file.key] else {
        seen[file.key] = files.count
        files.append(file)
        continue
      }
      guard files[place] != file else { continue }
      if names.contains(file.location.text), !names.contains(files[place].location.text) {
        repeated.append(files[place])
        files[place] = file
      } else {
        repeated.append(file)
      }
    }
  }

  /// Whether the file has the place's content; nil when nothing is known.
  private func isSame(_ place: Place, _ file: ScannedFile) -> Bool? {
    if let stored = place.contentHash, let found = file.contentHash { return stored == found }
    if let stored = place.facts, let found = Facts(file.sizeBytes, file.modifiedAt) { return stored == found }
    return nil
  }

  // MARK: Matching

  mutating func plan() -> RescanPlan {
    takeOtherCase { $0 != false }
    takeEqual({ $0.contentHash }, { $0.contentHash }, unlessBothHashed: false)
    takeEqual({ $0.facts }, { Facts($0.sizeBytes, $0.modifiedAt) }, unlessBothHashed: true)
    // Another case and another content: on a volume that ignores case this is an edited file, unless the hashes differ.
    takeOtherCase { _ in true }
    giveBack()
    return result()
  }

  private mutating func match(_ place: Int, _ file: Int) {
    taken[place] = file
    taker[file] = place
  }

  private var searching: [Int] {
    let undecided = Set(unclear.flatMap(\.places))
    return open.filter { taken[$0] == nil && !undecided.contains($0) }
  }
  private var offered: [Int] { free.filter { taker[$0] == nil }.sorted() }

  /// Matches a place and a file with the same content if each is the only one; among several, those with the same name.
  private mutating func takeEqual<Content: Hashable>(
    _ stored: (Place) -> Content?, _ found: (ScannedFile) -> Content?, unlessBothHashed: Bool
  ) {
    var wanted: [Content: [Int]] = [:]
    var contents: [Content] = []
    for number in searching {
      guard let content = stored(places[number]) else { continue }
      if wanted[content] == nil { contents.append(content) }
      wanted[content, default: []].append(number)
    }
    var offers: [Content: [Int]] = [:]
    for number in offered { if let content = found(files[number]) { offers[content, default: []].append(number) } }
    for content in contents {
      guard var seekers = wanted[content], var candidates = offers[content] else { continue }
      if unlessBothHashed, seekers.contains(where: { places[$0].contentHash != nil }) {
        candidates.removeAll { files[$0].contentHash != nil }
      }
      if seekers.count > 1 || candidates.count > 1 {
        let byName = Dictionary(grouping: candidates) { files[$0].name }
        for (name, same) in Dictionary(grouping: seekers, by: { ScannedFile.name(places[$0].key) }) {
          guard same.count == 1, let seeker = same.first, let named = byName[name], named.count == 1, let file = named.first else {
            continue
          }
          match(seeker, file)
        }
        seekers.removeAll { taken[$0] != nil }
        candidates.removeAll { taker[$0] != nil }
      }
      if seekers.count == 1, candidates.count == 1, let seeker = seekers.first, let file = candidates.first {
        match(seeker, file)
      } else if !seekers.isEmpty, !candidates.isEmpty {
        unclear.append((seekers, candidates))
      }
    }
  }

  /// Matches a place and a file whose paths differ only in case.
  private mutating func takeOtherCase(_ fits: (Bool?) -> Bool) {
    let offers = Dictionary(grouping: offered) { files[$0].key.lowercased() }
    let seekers = Dictionary(grouping: searching.filter { places[$0].file == nil }) { places[$0].key.lowercased() }
    for (key, seekers) in seekers {
      guard seekers.count == 1, let seeker = seekers.first, let named = offers[key], named.count == 1, let file = named.first else {
        continue
      }
      let areHashed = places[seeker].contentHash != nil && files[file].contentHash != nil
      let isSame = isSame(places[seeker], files[file])
      if fits(isSame), isSame != false || !areHashed, places[seeker].key != files[file].key { match(seeker, file) }
    }
  }

  /// A displaced place keeps its own file if no other place takes it. The file that it had taken then becomes free, which may
  /// let the next displaced place keep its file, too.
  private mutating func giveBack() {
    let displaced = Dictionary(grouping: open.filter { places[$0].file != nil }) { places[$0].file }
    var stays = open.filter { number in places[number].file.map { taken[number] != nil && taker[$0] == nil } ?? false }
    while let number = stays.popLast() {
      guard let file = taken.removeValue(forKey: number) else { continue }
      taker[file] = nil
      stays += (displaced[file] ?? []).filter { taken[$0] != nil }
    }
  }

  // MARK: The plan

  private func result() -> RescanPlan {
    /// The file that each place's tracks have now; nil for none.
    var found: [Int: ScannedFile?] = [:]
    var missing: Set<Int> = []
    let isOpen = Set(open)
    for (number, place) in places.enumerated() {
      if let file = taken[number] {
        found[number] = files[file]
      } else if let file = place.file, taker[file] == nil {
        if place.isJudged { found[number] = files[file] }
      } else if isOpen.contains(number) {
        missing.insert(number)
        if place.isJudged { found[number] = .some(nil) }
      }
    }
    let kept = Set(places.indices.compactMap { taken[$0] ?? places[$0].file })
    return RescanPlan(
      changes: zip(tracks, placeOfTrack).compactMap { track, place in found[place].flatMap { change(track, at: places[place], to: $0) } },
      new: files.indices.filter { !kept.contains($0) && files[$0].isAudio }.map { files[$0] },
      unclear: unclear.compactMap { places, candidates in
        let ids = places.filter(missing.contains).flatMap { self.places[$0].tracks }
        let files = candidates.filter { !kept.contains($0) }.map { self.files[$0] }
        return ids.isEmpty || files.isEmpty ? nil : RescanPlan.Unclear(trackIDs: ids, files: files)
      },
      repeated: repeated,
      judged: zip(tracks, placeOfTrack).filter { $0.file.availability == .available && places[$1].isJudged }.count)
  }

  private func change(_ track: Known, at place: Place, to file: ScannedFile?) -> RescanPlan.Change? {
    var after = track.file
    var hasOtherContent = false
    if let file {
      hasOtherContent = isSame(place, file) == false
      if file.key != track.key { after.location = file.location }
      if after.availability == .offline { after.availability = .available }
      after.sizeBytes = file.sizeBytes
      // A fraction of a second that only one side stores is not a change.
      if after.modifiedAt.map(Facts.seconds) != file.modifiedAt.map(Facts.seconds) { after.modifiedAt = file.modifiedAt }
      // A hash of the earlier content would never match again.
      after.contentHash = file.contentHash ?? (hasOtherContent ? nil : after.contentHash)
    } else if after.availability == .available {
      after.availability = .offline
    }
    guard after != track.file else { return nil }
    return RescanPlan.Change(trackID: track.id, before: track.file, after: after, hasOtherContent: hasOtherContent)
  }
}
