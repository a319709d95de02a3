import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTool

/// The program that `holdfast demo` kills: it saves positions, reports each commit, and begins a large write that never ends.
enum DemoWriter {
  static let commits = 200
  private static let inTheMiddle = "in the middle"
  /// The large write gives up after this time, should the program that kills be gone.
  private static let longest = Duration.seconds(30)

  /// Runs in the process that is killed.
  static func run(_ url: URL, _ console: Console) throws -> Answer {
    let library = try AudiobookLibrary.open(at: url)
    let (books, tracks) = (try library.store.read { try AudiobookLibrary.collections(in: $0) }, try tracks(library))
    for (number, track) in tracks.enumerated() {
      try library.store.write {
        try AudiobookLibrary.savePlaybackState(
          PlaybackState(position: position(number), duration: 1_800, updatedAt: Date()), of: track, in: $0)
      }
      try console.write("committed \(number + 1)")
    }
    try library.store.write { tx in
      for book in books { _ = try AudiobookLibrary.renameCollection(book.id, to: "half written", in: tx) }
      for track in tracks { _ = try AudiobookLibrary.renameTrack(track, to: "half written", in: tx) }
      try console.write(inTheMiddle)
      let end = ContinuousClock.now + longest
      while ContinuousClock.now < end {
        for track in tracks { try AudiobookLibrary.savePlaybackState(PlaybackState(position: 0, updatedAt: Date()), of: track, in: tx) }
      }
      throw StoreError(.cancelled, "this program was not killed")
    }
    return Answer(document: [:], text: "")
  }

  /// Starts this program as another process.
  static func start(_ option: String, _ url: URL) throws -> (process: Process, output: Pipe) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "holdfast")
    process.arguments = ["demo", option, url.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  /// Starts this program as another process, and kills it in the middle of its large write.
  ///
  /// - Throws: `.verificationFailed` when it ends before that.
  static func runAndKill(_ url: URL) throws {
    let (process, output) = try start("--write-until-killed", url)
    var text = Data()
    while true {
      let piece = output.fileHandleForReading.availableData
      text.append(piece)
      if piece.isEmpty || text.range(of: Data(inTheMiddle.utf8)) != nil { break }
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    guard text.range(of: Data("committed \(commits)\n\(inTheMiddle)".utf8)) != nil, process.terminationReason == .uncaughtSignal else {
      throw StoreError(.verificationFailed, "the program that was to be killed ended by itself, with \(process.terminationStatus)")
    }
  }

  /// The library as it must be after all reported commits.
  static func expected(at url: URL) throws -> [UUID: AudiobookCollection] {
    let library = try AudiobookLibrary.open(at: url)
    defer { try? library.store.close() }
    let positions = Dictionary(uniqueKeysWithValues: try tracks(library).enumerated().map { ($0.element, position($0.offset)) })
    return try DemoLibrary.content(of: library).mapValues { book in
      var book = book
      for track in book.tracks {
        guard let position = positions[track.id] else { continue }
        book.playbackStates[track.id] = PlaybackState(position: position, duration: 1_800, updatedAt: Date())
      }
      return book
    }
  }

  /// As `DemoLibrary.lost`, but for the times at which the other process saved, and for the track that it saved last.
  static func lost(_ wanted: [UUID: AudiobookCollection], _ found: [UUID: AudiobookCollection]) -> Int {
    DemoLibrary.lost(wanted.mapValues(withoutTimes), found.mapValues(withoutTimes))
  }

  private static func withoutTimes(_ book: AudiobookCollection) -> AudiobookCollection {
    var book = book
    (book.updatedAt, book.lastPlayedTrackID) = (.distantPast, nil)
    for track in book.playbackStates.keys { book.playbackStates[track]?.updatedAt = .distantPast }
    return book
  }

  private static func position(_ number: Int) -> Double { Double(number + 1) }

  /// The tracks whose positions are saved, in order.
  private static func tracks(_ library: AudiobookLibrary) throws -> [UUID] {
    Array(try library.store.read { try AudiobookLibrary.collections(in: $0) }.flatMap(\.tracks).map(\.id).prefix(commits))
  }
}
