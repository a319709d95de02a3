import Foundation
import Testing

/// What surrounds an import fails: the disk is full, the folder may not be written to, the person interrupts.
@Suite("Surroundings of import")
final class ImportSurroundingsTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test("a disk that fills up is 74, and no store and no copy of the source is left")
  func diskFull() throws {
    try bench.write(Self.library(collections: 4, tracks: 200), to: "library.json")
    // A volume of its own where that is allowed; a limit on the size of files elsewhere.
    let finished = try bench.shell(
      """
      mkdir small
      if unshare -m true 2>/dev/null; then
        unshare -m bash -c 'mount -t tmpfs -o size=128k tmpfs small && "$1" import library.json --into small/library.sqlite; \
          code=$?; ls -A small >&2; exit $code' bash "$1"
      else
        (ulimit -f 128; "$1" import library.json --into small/library.sqlite)
      fi
      """)
    #expect(finished.status == 74, "\(finished.errors)")
    #expect(finished.errors.contains("Try: "))
    #expect(!finished.errors.contains("library.sqlite\n"), "\(finished.errors)")
    #expect(try bench.names() == ["library.json", "small"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path("small")).isEmpty)
  }

  @Test("a store that grows beyond what may be written is 74 and as before")
  func limitInStore() throws {
    let store = try bench.store()
    let before = try bench.run("list", store).output
    try bench.write(Self.library(collections: 4, tracks: 200), to: "large.json")
    let finished = try bench.shell("ulimit -f 400; \"$1\" import large.json --into library.sqlite --progress none")
    #expect(finished.status == 74, "\(finished.errors)")
    #expect(try bench.run("list", store).output == before)
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("a folder that may not be written to is 73, and nothing is in it afterwards")
  func readOnlyFolder() throws {
    try bench.fixture("library.json")
    _ = try bench.shell("mkdir shelf; chmod 555 shelf; chmod 644 library.json")
    let finished = try bench.asNobody("import library.json --into shelf/library.sqlite")
    #expect(finished.status == 73, "\(finished.errors)")
    #expect(finished.errors.contains("shelf/library.sqlite"))
    #expect(finished.errors.contains("Try: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path("shelf")).isEmpty)
    #expect(!(try bench.names()).contains("library.json.backup"))
  }

  @Test("a source in a folder that may not be written to is imported, and its copy stands beside the store")
  func readOnlySource() throws {
    try bench.fixture("library.json")
    _ = try bench.shell("mkdir shelf disc; mv library.json disc/; chmod 644 disc/library.json; chmod 555 disc; chmod 777 shelf")
    let finished = try bench.asNobody("import disc/library.json --into shelf/library.sqlite")
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path("disc")) == ["library.json"])
    let copies = try FileManager.default.contentsOfDirectory(atPath: bench.path("shelf")).filter { $0.contains("backup") }
    #expect(copies == ["library.json.backup"])
    #expect(
      FileManager.default.contentsEqual(atPath: bench.path("disc/library.json"), andPath: bench.path("shelf/library.json.backup")))
  }

  /// Takes long enough that a signal comes in the middle of a phase.
  private static let large = library(collections: 20, tracks: 500)

  @Test("Ctrl-C is 130, in either phase, and the store is as before", arguments: ["importing", "verifying"], [true, false])
  func interrupted(phase: String, storeExists: Bool) throws {
    if storeExists { _ = try bench.store() }
    let before = storeExists ? try bench.run("list", bench.path("library.sqlite")).output : ""
    let names = try bench.names()
    let source = try bench.write(Self.large, to: "large.json")
    let running = try Running(
      Workbench.binary, ["import", source, "--into", bench.path("library.sqlite"), "--progress", "lines"], in: bench.folder
    ) { piece, process in
      // The second event of the phase: it is under way, and far from its end.
      if piece.contains("progress \(phase) ") && piece.contains("records 513") { kill(process, SIGINT) }
    }
    let finished = running.finish()
    #expect(finished.status == 130, "\(finished.output)\(finished.errors.suffix(500))")
    #expect(finished.errors.contains("the store is as before"))
    #expect(try bench.names() == (names + ["large.json"]).sorted())
    if storeExists { #expect(try bench.run("list", bench.path("library.sqlite")).output == before) }
  }

  @Test("progress as lines names the phase, the bytes and the records of every event")
  func progressLines() throws {
    let source = try bench.write(Self.library(collections: 4, tracks: 300), to: "library.json")
    let finished = try bench.run("import", source, "--into", bench.path("library.sqlite"), "--progress", "lines")
    let size = try Data(contentsOf: bench.url("library.json")).count
    let lines = finished.errors.split(separator: "\n")
    #expect(lines.count >= 7)
    for line in lines {
      #expect(line.wholeMatch(of: /progress (importing|verifying|finishing) \d+\/(\d+) records \d+/)?.output.2 == "\(size)")
    }
    #expect(lines.last?.hasPrefix("progress finishing \(size)/\(size) ") == true)
  }

  /// Seedless: the same text for the same numbers.
  static func library(collections: Int, tracks: Int) -> String {
    func id(_ kind: Int, _ first: Int, _ second: Int) -> String { String(format: "0000%04d-%04d-4000-8000-%012d", kind, first, second) }
    let all = (0..<collections).map { collection in
      let tracks = (0..<tracks).map { track in
        """
        {"displayName":"Chapter \(track)","duration":1200.5,"fileSize":1000,"filename":"\(track).mp3","id":"\(id(2, collection, track))",\
        "isFavorite":false,"location":{"type":"external","url":"https://example.org/\(collection)/\(track).mp3"},"metadata":{},\
        "trackNumber":\(track + 1)}
        """
      }
      return """
        {"coverAsset":{"kind":{"colorHex":"#5B8DEF","type":"solid"}},"createdAt":"2025-11-03T02:10:05Z","id":"\(id(1, collection, 0))",\
        "playbackStates":[],"source":{"description":"generated","type":"external"},"tags":[],"title":"Book \(collection)",\
        "tracks":[\(tracks.joined(separator: ",\n"))],"updatedAt":"2025-11-03T02:10:05Z"}
        """
    }
    return "{\"collections\":[\(all.joined(separator: ",\n"))],\"schemaVersion\":3}"
  }
}
