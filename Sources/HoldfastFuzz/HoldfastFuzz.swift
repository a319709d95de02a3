import Foundation

/// `holdfast-fuzz`: imports mutated sources and watches what must hold for each of them.
///
/// Each case either throws an expected error and leaves the store as it was, or its counts add up, the store is healthy, the
/// source has the same bytes, and a second import changes nothing. A case depends on its seed and number only.
@main
struct HoldfastFuzz {
  private static let usage = """
    usage: holdfast-fuzz [--seconds N] [--cases N] [--seed S] [--only CASE] [--threads N]
      --seconds N  how long; default 60
      --cases N    how many at most; default no limit
      --seed S     default: the time
      --only CASE  runs that case alone and writes its source to holdfast-fuzz-CASE.json
    exit code 1 after a finding, whose source is written to holdfast-fuzz-CASE.json
    """

  static func main() {
    var options: [String: String] = [:]
    var rest = CommandLine.arguments.dropFirst()
    while let name = rest.popFirst() {
      guard name.hasPrefix("--") else { return leave(64, usage) }
      options[name] = name == "--self-test" || name == "--help" ? "" : rest.popFirst()
    }
    let known: Set = ["--seconds", "--cases", "--seed", "--only", "--threads", "--self-test", "--help", "--import", "--into"]
    guard options["--help"] == nil, Set(options.keys).isSubset(of: known) else { return leave(64, usage) }
    if let source = options["--import"], let store = options["--into"] { return leave(ImportDriver.run(source, store)) }
    let seed = options["--seed"].flatMap { UInt64($0) } ?? UInt64(Date().timeIntervalSince1970)
    if options["--self-test"] != nil { return leave(selfTest(seed)) }
    var plan = FuzzRun.Plan(seed: seed, seconds: options["--seconds"].flatMap { Double($0) } ?? 60)
    if let cases = options["--cases"].flatMap({ Int($0) }) {
      plan.cases = cases
      if options["--seconds"] == nil { plan.seconds = .infinity }
    }
    if let threads = options["--threads"].flatMap({ Int($0) }) { plan.threads = max(1, threads) }
    if let only = options["--only"].flatMap({ Int($0) }) {
      write(Bench.sources(seed, only).bytes, only)
      if let earlier = Bench.sources(seed, only).earlier { write(earlier, only, "-earlier") }
      (plan.first, plan.cases, plan.threads) = (only, 1, 1)
    }
    let run = FuzzRun(plan)
    run.start()
    print(run.summary)
    for (number, finding) in run.findings {
      print("FINDING in case \(number) of seed \(seed): \(finding)")
      write(Bench.sources(seed, number).bytes, number)
      print("again: holdfast-fuzz --seed \(seed) --only \(number)")
    }
    leave(run.findings.isEmpty ? 0 : 1)
  }

  /// Every planted fault must be found; without one nothing must be.
  private static func selfTest(_ seed: UInt64) -> Int32 {
    var failed = false
    for fault in [nil] + Fault.allCases.map(Optional.some) {
      let run = FuzzRun(.init(seed: seed, seconds: 60, cases: 2_000, threads: 1, fault: fault))
      run.start()
      let isRight = (fault == nil) == run.findings.isEmpty
      print("\(isRight ? "right" : "WRONG"): \(fault?.rawValue ?? "no fault"): \(run.findings.first.map { $0.1 } ?? "nothing found")")
      if !isRight { failed = true }
    }
    return failed ? 1 : 0
  }

  private static func write(_ bytes: [UInt8], _ number: Int, _ suffix: String = "") {
    let url = URL(fileURLWithPath: "holdfast-fuzz-\(number)\(suffix).json")
    do {
      try Data(bytes).write(to: url)
      print("source: \(url.path)")
    } catch {
      print("the source could not be written to \(url.path): \(error)")
    }
  }

  private static func leave(_ code: Int32, _ message: String? = nil) {
    if let message { print(message) }
    exit(code)
  }
}
