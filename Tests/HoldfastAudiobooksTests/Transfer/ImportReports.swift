import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What an import says and leaves behind")
struct ImportReports {
  private let mixed = Legacy.library(
    Legacy.collection(
      tracks: [Legacy.track(2, more: #""isFavorite":true,"#), Legacy.track(2, more: #""isFavorite":true,"#), "7"],
      more: #""tags":["a"],"# + Legacy.states((8, Legacy.state()))))

  @Test("the report is a table for people")
  func text() throws {
    let world = try ImportWorld()
    let report = try world.report(mixed)
    #expect(
      report.text == """
        library-json version 3: \(world.source.path)
                             source    imported      merged     skipped quarantined
        collections               1           1           0           0           0
        tracks                    3           1           0           1           1
        playback_states           1           0           0           0           1
        favorites                 2           1           0           1           0
        tags                      1           1           0           0           0
        skipped 2: a repetition in the source
        quarantined $.collections[0].tracks[2]: a track should be an object
        quarantined $.collections[0].playbackStates[1]: there is no such track in the collection
        verified: everything that was imported was read back and equals the source
        the source is kept as \(world.source.path).backup
        """)
  }

  @Test("the report is JSON for programs, and stands in the ledger")
  func json() throws {
    let world = try ImportWorld()
    let report = try world.report(mixed)
    let expected = """
      {"backup":"\(world.source.path).backup","counts":{"collections":{"imported":1,"merged":0,"quarantined":0,"skipped":0,"source":1},\
      "favorites":{"imported":1,"merged":0,"quarantined":0,"skipped":1,"source":2},\
      "playback_states":{"imported":0,"merged":0,"quarantined":1,"skipped":0,"source":1},\
      "tags":{"imported":1,"merged":0,"quarantined":0,"skipped":0,"source":1},\
      "tracks":{"imported":1,"merged":0,"quarantined":1,"skipped":1,"source":3}},"dry_run":false,"format":"library-json","format_version":3,\
      "kinds":["collections","tracks","playback_states","favorites","tags"],"problem_count":2,"problems":[\
      {"kind":"tracks","path":"$.collections[0].tracks[2]","reason":"a track should be an object"},\
      {"kind":"playback_states","path":"$.collections[0].playbackStates[1]","reason":"there is no such track in the collection"}],\
      "skipped":{"a repetition in the source":2},"source":"\(world.source.path)","source_sha256":"\(report.sourceSHA256)","verified":true}
      """
    #expect(try StoredJSON(report).text == expected)
    let ledger = try world.withLibrary { library in
      try library.store.read { reader in
        try reader.values("SELECT format, source_path, source_sha256, backup_path, report FROM holdfast_imports") { row in
          [try row.text(), try row.text(), try row.text(), try row.text(), try row.text()]
        }
      }
    }
    #expect(ledger == [["library-json", world.source.path, report.sourceSHA256, "\(world.source.path).backup", expected]])
  }

  @Test("a dry run says what would be, and changes neither folder nor store")
  func dryRun() throws {
    let world = try ImportWorld()
    var options = ImportOptions()
    options.dryRun = true
    let report = try world.report(mixed, options: options)
    #expect(report.dryRun && report.verified && report.backup == nil)
    #expect(report.text.contains("dry run: nothing was written"))
    #expect(try world.folder.contents() == ["library.json"])
    let real = try world.report(mixed)
    #expect(real.counts == report.counts && real.problems == report.problems)

    let other = Legacy.library(Legacy.collection(5, title: "other", tracks: [Legacy.track(6)]))
    try other.write(to: world.source, atomically: true, encoding: .utf8)
    let before = try world.bytes()
    #expect(try world.report(other, options: options).picture == "collections 1: 1 imported\ntracks 1: 1 imported")
    #expect(try world.bytes() == before)
  }

  @Test("progress goes forward: phases in their order, and neither bytes nor records ever back")
  func progress() throws {
    let world = try ImportWorld()
    let steps = Recorder<ImportProgress>()
    var options = ImportOptions()
    options.onProgress = { steps.append($0) }
    let tracks = (10..<80).map { Legacy.track($0) }
    let json = Legacy.library(
      Legacy.collection(1, tracks: tracks, more: Legacy.states((10, Legacy.state()))), Legacy.collection(2, tracks: tracks),
      Legacy.collection(3, tracks: tracks), Legacy.collection(4, tracks: tracks), Legacy.collection(5, tracks: tracks),
      Legacy.collection(6, tracks: tracks), Legacy.collection(7, tracks: tracks), Legacy.collection(8, tracks: tracks))
    _ = try world.report(json, options: options)
    let seen = steps.values
    let order = ImportProgress.Phase.allCases
    #expect(Set(seen.map(\.phase)) == Set(order))
    for (earlier, later) in zip(seen, seen.dropFirst()) {
      let places = (order.firstIndex(of: earlier.phase) ?? 9, order.firstIndex(of: later.phase) ?? 0)
      #expect(places.0 < places.1 || places.0 == places.1 && earlier.done <= later.done && earlier.records <= later.records)
    }
    #expect(seen.allSatisfy { 0 <= $0.done && $0.done <= $0.total && $0.total == json.utf8.count })
    for phase in order { #expect(seen.last { $0.phase == phase }?.done == json.utf8.count) }
  }

  @Test("more problems than a person reads are counted, and all are in the quarantine")
  func manyProblems() throws {
    let world = try ImportWorld()
    let report = try world.report(Legacy.library(Legacy.collection(tracks: Array(repeating: "7", count: 1_234))))
    #expect(report.problemCount == 1_234 && report.problems.count == 1_000)
    #expect(report.text.contains("… and 1214 more in quarantine"))
    #expect(try world.leftOut().count == 1_234)
  }
}

// Unchecked because a lock guards the values.
final class Recorder<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Value] = []

  var values: [Value] { lock.withLock { list } }

  func append(_ value: Value) { lock.withLock { list.append(value) } }
}
