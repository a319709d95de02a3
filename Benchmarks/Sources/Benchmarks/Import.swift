import Foundation

/// Bringing a version 3 `library.json` in, against Foundation's decoder reading the same file.
struct ImportOutcome {
  var contestant: String
  var collections: Int
  var megabytes: Double
  var milliseconds: [Double]
  var millisecondsPerTrack: Double { milliseconds.median / Double(collections * 1000) }
}

enum Import {
  static func run(_ dataSets: DataSets, rounds: Int) throws -> [ImportOutcome] {
    try [(100, min(rounds, 3)), (500, 1)].flatMap { try run(dataSets, collections: $0, rounds: $1) }
  }

  private static func run(_ dataSets: DataSets, collections: Int, rounds: Int) throws -> [ImportOutcome] {
    let file = try dataSets.legacyFile(collections: collections)
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    let types = roster.filter { $0.imports }
    var outcomes = types.map {
      ImportOutcome(contestant: $0.name, collections: collections, megabytes: Double(size) / 1_000_000, milliseconds: [])
    }
    var checksum: Checksum?
    for number in 0..<rounds {
      for turn in types.indices {
        let place = (turn + number) % types.count
        let folder = try dataSets.newFolder()
        let stopwatch = Stopwatch()
        let loaded = try stopwatch.time { try types[place].importLibrary(json: file, into: folder) }
        let found = loaded.checksum
        if let checksum, checksum != found {
          throw Failure("import of \(collections) collections: \(types[place].name) holds \(found), another contestant \(checksum)")
        }
        checksum = found
        outcomes[place].milliseconds += stopwatch.operations
        try FileManager.default.removeItem(atPath: folder)
      }
    }
    return outcomes
  }
}
