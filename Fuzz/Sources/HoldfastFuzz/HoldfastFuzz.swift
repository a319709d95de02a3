import Foundation

/// `holdfast-fuzz`: imports mutated sources, and checks the rules that hold for every import.
///
/// An import either throws an expected error and leaves the store unchanged, or its counts add up, the store is healthy, the source keeps
/// its bytes, and a second import changes nothing. `AnswersBench` has the rules for the answers of a server, which are not imported. A case
/// depends on its seed and number only.
@main
struct HoldfastFuzz {
  private static let usage = """
    usage: holdfast-fuzz [--target NAME] [--seconds N] [--cases N] [--seed S] [--only CASE] [--threads N]
      --target NAME  what to test: \(FuzzTargets.all.map(\.name).joined(separator: ", ")); default all, one after the other
      --seconds N    run time, shared evenly among the targets; default 60, or no limit with --cases
      --cases N      at most this many cases of each target; default no limit, or 2000 with --self-test
      --seed S       a number: the same seed makes the same cases; default the time
      --only CASE    run only the case with this number, and write its source to holdfast-fuzz-TARGET-CASE
      --threads N    default: one for each core
      --record       write down what the cases of each target leave behind, a line each: run it before and after a change, and compare
      --record-files FOLDER  the same for the files of a folder and each library
      --self-test    plant faults in the tested code, and check that the fuzzer finds each
    After a finding the exit code is 1, and its source is in holdfast-fuzz-TARGET-CASE.
    """

  static func main() {
    var options: [String: String] = [:]
    var rest = CommandLine.arguments.dropFirst()
    while let name = rest.popFirst() {
      guard name.hasPrefix("--") else { return leave(64, usage) }
      options[name] = ["--self-test", "--record", "--help"].contains(name) ? "" : rest.popFirst()
    }
    let known: Set = [
      "--target", "--seconds", "--cases", "--seed", "--only", "--threads", "--self-test", "--help", "--import", "--into", "--save-into",
      "--train-into", "--start-in", "--sync-into", "--sync-once", "--server", "--telemetry-into", "--share",
      "--record", "--record-files",
    ]
    guard options["--help"] == nil, Set(options.keys).isSubset(of: known) else { return leave(64, usage) }
    if let source = options["--import"], let store = options["--into"] { return leave(ImportDriver.run(source, store)) }
    let targets = FuzzTargets.all.filter { options["--target"] == nil || options["--target"] == $0.name }
    guard !targets.isEmpty else { return leave(64, usage) }
    let seed = options["--seed"].flatMap { UInt64($0) } ?? UInt64(Date().timeIntervalSince1970)
    if let store = options["--save-into"] { return leave(SaveDriver.run(store, seed: seed)) }
    if let store = options["--train-into"] { return leave(TrainDriver.run(store, seed: seed)) }
    if let store = options["--start-in"] { return leave(TrainDriver.start(store)) }
    if let store = options["--sync-into"], let server = options["--server"] { SyncDriver.run(store, to: server, seed: seed) }
    if let store = options["--sync-once"], let server = options["--server"] { SyncDriver.once(store, to: server) }
    if let store = options["--telemetry-into"] {
      TelemetryDriver.run(store, seconds: options["--seconds"].flatMap { Double($0) } ?? 600)
    }
    let cases = options["--cases"].flatMap { Int($0) }
    if let store = options["--share"] { return leave(ShareDriver.run(store, seed: seed, sessions: cases ?? 1)) }
    if options["--self-test"] != nil { return leave(selfTest(targets, seed, cases ?? 2_000)) }
    if options["--record"] != nil || options["--record-files"] != nil {
      do {
        if let folder = options["--record-files"] { try Recorder.record(URL(fileURLWithPath: folder)) }
        if options["--record"] != nil { try Recorder.record(targets, seed, cases ?? 500) }
        return leave(0)
      } catch {
        return leave(1, "\(error)")
      }
    }
    let seconds = options["--seconds"].flatMap { Double($0) } ?? (cases == nil ? 60 : .infinity)
    // The kit copies each database that it reads into this folder.
    setenv("TMPDIR", Bench.folder.path, 1)
    var found = false
    for target in targets {
      var plan = FuzzRun.Plan(target: target, seed: seed, seconds: seconds / Double(targets.count), cases: cases ?? .max)
      if let threads = options["--threads"].flatMap({ Int($0) }) { plan.threads = max(1, threads) }
      if let only = options["--only"].flatMap({ Int($0) }) {
        write(target, seed, only)
        (plan.first, plan.cases, plan.threads) = (only, 1, 1)
      }
      if isFound(by: plan) { found = true }
    }
    leave(found ? 1 : 0)
  }

  private static func isFound(by plan: FuzzRun.Plan) -> Bool {
    let run = FuzzRun(plan)
    run.start()
    print(run.summary)
    for (number, finding) in run.findings {
      print("FINDING in case \(number) of seed \(plan.seed): \(finding)")
      write(plan.target, plan.seed, number)
      print("To run it again: holdfast-fuzz --target \(plan.target.name) --seed \(plan.seed) --only \(number)")
    }
    return !run.findings.isEmpty
  }

  /// Checks that the fuzzer finds each planted fault, and finds nothing without a fault.
  private static func selfTest(_ targets: [any FuzzTarget], _ seed: UInt64, _ cases: Int) -> Int32 {
    var failed = false
    for target in targets {
      for fault in [nil] + target.faults.map(Optional.some) {
        let run = FuzzRun(.init(target: target, seed: seed, seconds: 60, cases: cases, threads: 1, fault: fault))
        run.start()
        let isRight = (fault == nil) == run.findings.isEmpty
        let found = run.findings.first.map { $0.1 } ?? "nothing found"
        print("\(isRight ? "right" : "WRONG"): \(target.name), \(fault?.rawValue ?? "no fault"): \(found)")
        if !isRight { failed = true }
      }
    }
    return failed ? 1 : 0
  }

  /// Writes the source of a case into the current folder.
  private static func write(_ target: any FuzzTarget, _ seed: UInt64, _ number: Int) {
    do {
      let source = try target.source(seed, number).source
      for (bytes, suffix) in [(source.bytes, ""), (source.earlier, "-earlier"), (source.log, "-log")] {
        guard let bytes else { continue }
        let file = URL(fileURLWithPath: target.file)
        let url = URL(fileURLWithPath: "holdfast-fuzz-\(target.name)-\(number)\(suffix).\(file.pathExtension)")
        try Data(bytes).write(to: url)
        print("source: \(url.path)")
      }
    } catch {
      print("the source could not be written: \(error)")
    }
  }

  private static func leave(_ code: Int32, _ message: String? = nil) {
    if let message { print(message) }
    exit(code)
  }
}
