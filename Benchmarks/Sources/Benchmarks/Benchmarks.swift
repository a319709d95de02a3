import Foundation

@main
enum Benchmarks {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == PeakMemory.childFlag { return try PeakMemory.runChild(Array(arguments.dropFirst())) }
      if arguments.first == LogCopier.childFlag { return try LogCopier.runChild(Array(arguments.dropFirst())) }
      let options = try Options(arguments)
      if options.wantsHelp { return print(Options.usage) }
      let report = try run(options)
      print(report.text)
      try options.write.map { try report.text.write(toFile: $0, atomically: true, encoding: .utf8) }
    } catch {
      tell("Benchmarks: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws -> Report {
    let start = Date()
    let dataSets = try DataSets()
    defer { dataSets.remove() }
    var report = Report()
    report.plans = try Plans.compare(dataSets)
    let race = Race(dataSets: dataSets, rounds: options.rounds)
    for workload in Workload.all where options.only.contains(workload.group) {
      tell(workload.name)
      report.outcomes += try race.run(workload)
    }
    if options.only.contains("W1") { report.memory += try loadMemory(dataSets, report.outcomes) }
    if options.only.contains("import") {
      tell("import")
      report.imports = try Import.run(dataSets, rounds: options.rounds)
      report.memory += try importMemory(dataSets)
    }
    if options.only.contains("music") {
      tell("music")
      let music = try Music.run(dataSets, rounds: options.rounds)
      report.outcomes += music.outcomes
      report.musicImports = music.imports
    }
    if options.only.contains("workouts") {
      tell("workouts")
      report.outcomes += try Workouts.run(dataSets, rounds: options.rounds)
    }
    if options.only.contains("csv") {
      tell("csv")
      report.outcomes += try CSVImport.run(dataSets, rounds: options.rounds)
    }
    if options.only.contains("inference") {
      tell("inference")
      report.outcomes += try Inference.run(dataSets, rounds: options.rounds)
    }
    if options.only.contains("archive") {
      tell("archive")
      report.archive = try ArchiveCost.run(dataSets, rounds: options.rounds)
      report.outcomes += try GoingBack.run(dataSets, rounds: options.rounds)
    }
    if options.only.contains("sync") {
      tell("sync")
      report.outcomes += try Capture.run(dataSets, rounds: options.rounds)
    }
    report.seconds = Date().timeIntervalSince(start)
    return report
  }

  private static func loadMemory(_ dataSets: DataSets, _ outcomes: [Outcome]) throws -> [PeakMemory] {
    try roster.filter { type in outcomes.contains { $0.contestant == type.name && $0.workload == Workload.loadNew } }.map { type in
      try PeakMemory.measure(
        "load 100 x 1,000", type.name, input: dataSets.copy(.large(.new), file: type.fileName), folder: dataSets.newFolder())
    }
  }

  private static func importMemory(_ dataSets: DataSets) throws -> [PeakMemory] {
    let file = try dataSets.legacyFile(collections: 100)
    return try roster.filter { $0.imports }.map { type in
      try PeakMemory.measure("import", type.name, input: file, folder: dataSets.newFolder())
    }
  }

  private static func tell(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
