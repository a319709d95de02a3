import Foundation
import Holdfast

/// The archive of a store whose key is changed. It begins anew with the new key: until then it is as it was, and the former one stays readable
/// with the former key, or goes with the other former files.
struct FormerArchives: Findings {
  var findings: [Finding] = []
  private let judged: Case
  /// The key of the store now; nil: it is plain.
  private let present: StoreKey?
  private let isKept: Bool
  private var folder: URL { URL(fileURLWithPath: judged.folder) }
  private var home: URL { URL(fileURLWithPath: Workload.store(folder).path + ".holdfast") }

  /// - Parameter present: the key of the store now; nil: it is plain.
  init(_ judged: Case, _ present: StoreKey?) {
    (self.judged, self.present) = (judged, present)
    isKept = Workload.formerFiles(judged.seed) == .keep
  }

  // MARK: Before the attack

  /// A store with two generations in its archive, and the moments of it that are told.
  static func prepare(_ folder: URL, _ options: StoreOptions, seed: UInt64) throws {
    let clock = SetClock()
    var options = options
    options.archives()
    options.now = { clock.now }
    var lines: [String] = []
    for (numbers, mode) in [(1...Workload.inSnapshot, ArchiveOptions.Mode.begins), (7...7, .off), (8...Workload.prepared, .begins)] {
      options.archive.mode = mode
      let store = try Store.open(at: Workload.store(folder), schemas: [Library.old], options: options)
      for number in numbers {
        try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
        if mode == .begins, let moment = try ToldMoment.newest(of: store, clock, labels: number.isMultiple(of: 3)) {
          lines.append(moment.line)
        }
      }
      if numbers.upperBound == Workload.inSnapshot { try store.snapshot(label: "earlier") }
      try store.close()
    }
    lines += try Archive(of: Workload.store(folder), options: options).history().filter { $0.kind == .gap }.map { "gap \($0.commit)" }
    // It only takes room.
    try? FileManager.default.removeItem(at: archive(folder).appendingPathComponent("ballast"))
    try Data(lines.joined(separator: "\n").utf8).write(to: Housekeeping.file(folder))
  }

  /// An app that opens its store between two changes of the key: the archive begins with the present state.
  static func begin(_ url: URL, _ options: StoreOptions, _ acks: Acks) throws {
    let clock = SetClock()
    var options = options
    options.now = { clock.now }
    let store = try Store.open(at: url, schemas: [Library.old], options: options)
    if let moment = try ToldMoment.newest(of: store, clock, labels: true) { acks.tell(moment.line) }
    try store.close()
  }

  // MARK: After it

  /// Whether the archive in its place has another key than the store. Then archiving stops until the call is repeated.
  var isStopped: Bool { Self.generations(in: Self.archive(folder)).contains { Self.keyed($0, present) == false } }

  /// Each moment that was told is restored with the key that it had then, from the archive in its place or from the files that were kept. Where
  /// the former files are removed, it may be gone once the store has another key.
  ///
  /// - Parameter onlyKept: the call was repeated, and has kept or removed everything that was before.
  mutating func judge(onlyKept: Bool = false) {
    let isChanged = onlyKept || judged.acks.contains("decrypted") || judged.acks.contains("rekeyed") || present != Keys.key
    judge(ToldMoment.all(in: Housekeeping.told(folder)), Keys.key, mayBeGone: !isKept && isChanged, onlyKept)
    guard judged.workload == .decrypt else { return }
    let plain = ToldMoment.all(in: judged.acks)
    judge(plain, nil, mayBeGone: !judged.isPromised || !isKept && (onlyKept || present != nil), onlyKept)
  }

  private mutating func judge(_ moments: [ToldMoment], _ key: StoreKey?, mayBeGone: Bool, _ onlyKept: Bool) {
    guard !moments.isEmpty else { return }
    let place = URL(fileURLWithPath: judged.folder + ".former")
    defer { try? FileManager.default.removeItem(at: place) }
    do {
      try collect(key, in: place, onlyKept)
    } catch {
      return find("archive-lost", "\(error)")
    }
    let reading = ArchiveReading(folder: place.path, key: key)
    for moment in moments {
      switch reading.restored(.commit(moment.commit)) {
      case .failure(let error):
        if !mayBeGone { find("archive-lost", "commit \(moment.commit): \(Verdict.text(error))") }
      case .success(let state):
        // What is left of an archive that is being removed may end earlier.
        if state.commit == moment.commit, state.content != moment.content || !state.problems.isEmpty {
          find("archive-wrong", "commit \(moment.commit) is another one: \(state.problems)")
        }
        if state.commit != moment.commit, !mayBeGone {
          find("archive-lost", "commit \(moment.commit) leads to \(state.commit)")
        }
      }
    }
  }

  /// Brings the generations together that have this key: a kill may come when one of two has been moved.
  private func collect(_ key: StoreKey?, in place: URL, _ onlyKept: Bool) throws {
    let files = FileManager.default
    let target = Self.archive(place)
    try? files.removeItem(at: place)
    try files.createDirectory(at: target, withIntermediateDirectories: true)
    let quarantine = home.appendingPathComponent("quarantine")
    let kept = ((try? files.contentsOfDirectory(atPath: quarantine.path)) ?? []).sorted().map {
      quarantine.appendingPathComponent("\($0)/archive")
    }
    for archive in kept + (onlyKept ? [] : [Self.archive(folder)]) {
      for generation in Self.generations(in: archive) where Self.keyed(generation, key) == true {
        try files.copyItem(at: generation, to: target.appendingPathComponent(generation.lastPathComponent))
      }
    }
  }

  /// What is in the archive's place and has not the store's key, or is of no use: after the call was repeated there is nothing.
  mutating func judgeLeft() {
    let archive = Self.archive(folder)
    for generation in Self.generations(in: archive) {
      let names = ((try? FileManager.default.contentsOfDirectory(atPath: generation.path)) ?? []).sorted()
      for name in names {
        let isLost = name.hasSuffix(".sqlite") && !names.contains(String(name.dropLast(6)) + "json")
        if isLost || names.allSatisfy({ !$0.hasSuffix(".json") }) || Self.keyed(generation, present) == false {
          find("leftover", "\(generation.lastPathComponent)/\(name) of the former archive is still there")
        }
      }
    }
  }

  private static func archive(_ folder: URL) -> URL {
    URL(fileURLWithPath: Workload.store(folder).path + ".holdfast/archive")
  }

  private static func generations(in archive: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: archive.path)) ?? []
    return names.filter { Int($0) != nil }.sorted().map(archive.appendingPathComponent)
  }

  /// Whether this key opens a generation's first base; nil without a base that has a description.
  private static func keyed(_ generation: URL, _ key: StoreKey?) -> Bool? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: generation.path)) ?? []
    let bases = names.filter { $0.first != "." && $0.hasSuffix(".sqlite") && names.contains(String($0.dropLast(6)) + "json") }
    guard let base = bases.min() else { return nil }
    let path = generation.appendingPathComponent(base).path
    return key.map { !Keys.isPlain(path) && Keys.opens(path, $0) } ?? Keys.isPlain(path)
  }
}
