import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTransfer

/// Bringing iTunes' file in, verified, against Python's plistlib only reading the same file.
struct MusicImport {
  static let python = "Python plistlib, reading only"
  var contestant: String
  var megabytes: Double
  var tracks: Int
  var milliseconds: [Double] = []

  static func run(_ file: String, tracks: Int, _ dataSets: DataSets, rounds: Int) throws -> [MusicImport] {
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    var own = MusicImport(contestant: Gate.contestant, megabytes: Double(size) / 1_000_000, tracks: tracks)
    var other = MusicImport(contestant: python, megabytes: own.megabytes, tracks: tracks)
    for _ in 0..<rounds {
      other.milliseconds.append(try readByPython(file, expecting: tracks))
      let folder = try dataSets.newFolder()
      let stopwatch = Stopwatch()
      let report = try stopwatch.time {
        try MusicStore.importLibrary(
          from: URL(fileURLWithPath: file), into: URL(fileURLWithPath: folder + "/" + DataSet.databaseName))
      }
      guard report.verified, report.isClean, report.counts["tracks"]?.imported == tracks else { throw Failure("the import is not whole") }
      own.milliseconds += stopwatch.operations
      try FileManager.default.removeItem(atPath: folder)
    }
    return [other, own]
  }

  /// Milliseconds of `plistlib.load` alone, without Python's start.
  private static func readByPython(_ file: String, expecting tracks: Int) throws -> Double {
    let program = """
      import plistlib, sys, time
      start = time.perf_counter()
      library = plistlib.load(open(sys.argv[1], 'rb'))
      print((time.perf_counter() - start) * 1000, len(library['Tracks']))
      """
    let found = try Python.numbers(2, program, reading: file)
    guard found[1] == Double(tracks) else { throw Failure("python3 found \(found[1]) tracks") }
    return found[0]
  }
}
