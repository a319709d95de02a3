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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let program = """
      import plistlib, sys, time
      start = time.perf_counter()
      library = plistlib.load(open(sys.argv[1], 'rb'))
      print((time.perf_counter() - start) * 1000, len(library['Tracks']))
      """
    process.arguments = ["python3", "-c", program, file]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = output.split(separator: " ").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    guard process.terminationStatus == 0, words.count == 2, let time = Double(words[0]), Int(words[1]) == tracks else {
      throw Failure("python3 could not read the file: \(output)")
    }
    return time
  }
}
