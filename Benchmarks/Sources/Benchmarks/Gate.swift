/// What the product has to hold, as ratios within one run; and what its users were promised, as times.
struct Gate {
  enum Limit {
    /// Median of the paired ratios to another contestant.
    case ratio(atMost: Double, of: String)
    /// The slowest hundredth of all operations.
    case ratioOfP99(atMost: Double, of: String)
    case timesFaster(Double, than: String)
    case milliseconds(below: Double)
    /// Median of the paired differences to another contestant.
    case nanosecondsMore(atMost: Double, than: String)
    /// Work in the same time as the same contestant does in another workload.
    case throughput(atLeast: Double, of: String)
    case megabytesPerSecond(atLeast: Double)
  }

  var workload: String
  var limit: Limit
  /// Whom it is for.
  var contestant = Gate.contestant

  static let contestant = "Holdfast"

  static let all = [
    Gate(workload: Workload.loadNew, limit: .ratio(atMost: 1.25, of: "C")),
    Gate(workload: Workload.loadNew, limit: .timesFaster(5, than: "GRDB Codable")),
    Gate(workload: Workload.loadNew, limit: .ratio(atMost: 2.7, of: "C"), contestant: HoldfastDerivedContestant.name),
    Gate(workload: Workload.loadNew, limit: .timesFaster(2.5, than: "GRDB Codable"), contestant: HoldfastDerivedContestant.name),
    Gate(workload: Workload.loadSmall, limit: .ratio(atMost: 1.8, of: "C")),
    Gate(workload: Workload.loadOne, limit: .ratio(atMost: 1.8, of: "C")),
    Gate(workload: Workload.saveFast, limit: .ratio(atMost: 1.5, of: "C")),
    Gate(workload: Workload.saveFast, limit: .ratio(atMost: 1.55, of: "C"), contestant: HoldfastAsyncContestant.name),
    Gate(workload: Workload.saveObserved, limit: .ratio(atMost: 1.7, of: "C")),
    Gate(workload: Workload.saveFast, limit: .ratio(atMost: 2, of: Gate.contestant), contestant: HoldfastAuditedContestant.name),
    Gate(
      workload: Workload.saveFast, limit: .ratio(atMost: 1.2, of: HoldfastByHandContestant.name), contestant: HoldfastDerivedContestant.name
    ),
    Gate(workload: Workload.loadNew, limit: .ratio(atMost: 1.15, of: Gate.contestant), contestant: HoldfastEncryptedContestant.name),
    Gate(workload: Workload.saveFast, limit: .ratio(atMost: 1.15, of: Gate.contestant), contestant: HoldfastEncryptedContestant.name),
    Gate(workload: Workload.saveDurable, limit: .ratio(atMost: 1.15, of: Gate.contestant), contestant: HoldfastEncryptedContestant.name),
    Gate(
      workload: Workload.writersDurable, limit: .throughput(atLeast: 0.7, of: Workload.writersFast),
      contestant: HoldfastAsyncContestant.name),
    Gate(workload: Workload.deleteNew, limit: .ratio(atMost: 1.3, of: "C")),
    Gate(workload: Workload.deleteNew, limit: .milliseconds(below: 10)),
    Gate(workload: Workload.point, limit: .ratio(atMost: 1.3, of: "C")),
    Gate(workload: Workload.point, limit: .ratio(atMost: 2.5, of: "C"), contestant: HoldfastAsyncContestant.name),
    Gate(workload: Workload.point, limit: .nanosecondsMore(atMost: 150, than: HoldfastUncountedContestant.name)),
    Gate(workload: Workload.bulk, limit: .ratio(atMost: 1.25, of: "C")),
    Gate(workload: Music.load, limit: .ratio(atMost: 1.25, of: "C")),
    Gate(workload: Music.load, limit: .timesFaster(5, than: MusicGRDB.name)),
    Gate(workload: Music.search, limit: .ratio(atMost: 1.3, of: "C")),
    Gate(workload: Music.search, limit: .ratioOfP99(atMost: 1.3, of: "C")),
    Gate(workload: Workouts.load, limit: .ratio(atMost: 1.3, of: "C")),
    Gate(workload: Workouts.load, limit: .timesFaster(8, than: WorkoutsGRDB.name)),
    Gate(workload: Workouts.logSet, limit: .ratio(atMost: 1.7, of: "C")),
    Gate(workload: Workouts.logSetObserved, limit: .ratio(atMost: 2, of: "C")),
    Gate(workload: Workouts.loadYears, limit: .ratio(atMost: 1.3, of: "C")),
    Gate(workload: Workouts.records, limit: .ratio(atMost: 1.5, of: "C")),
    Gate(workload: Workouts.weeks, limit: .ratio(atMost: 1.5, of: "C")),
    Gate(workload: Workouts.progress, limit: .ratio(atMost: 1.5, of: "C")),
    Gate(workload: Inference.record, limit: .ratio(atMost: 1.25, of: "C")),
    Gate(workload: Inference.record, limit: .timesFaster(2.3, than: InferenceGRDB.name)),
    Gate(workload: Inference.statistics, limit: .ratio(atMost: 1.1, of: "C")),
    Gate(workload: Inference.statistics, limit: .timesFaster(8, than: Inference.windows)),
    Gate(workload: Inference.statisticsByDay, limit: .ratio(atMost: 1.1, of: "C")),
    Gate(workload: Inference.statisticsByDay, limit: .timesFaster(8, than: Inference.windows)),
    Gate(workload: CSVImport.workload, limit: .ratio(atMost: 2, of: CSVImport.python)),
    Gate(workload: GoingBack.restore, limit: .megabytesPerSecond(atLeast: 100)),
    Gate(workload: GoingBack.swap, limit: .megabytesPerSecond(atLeast: 250)),
    Gate(workload: Capture.column, limit: .ratio(atMost: 2.3, of: Capture.unconnected), contestant: Capture.connected),
    Gate(workload: Capture.group, limit: .ratio(atMost: 1.7, of: Capture.unconnected), contestant: Capture.connected),
    Gate(workload: Capture.hundred, limit: .ratio(atMost: 1.7, of: Capture.unconnected), contestant: Capture.connected),
    Gate(workload: Capture.library, limit: .ratio(atMost: 1.6, of: Capture.unconnected), contestant: Capture.connected),
    Gate(workload: Capture.column, limit: .ratio(atMost: 1.02, of: Capture.plain), contestant: Capture.unconnected),
  ]

  /// The app plan's times, for every contestant.
  static let targets = [
    ("load 100 collections and 1,000 tracks", Gate(workload: Workload.loadSmall, limit: .milliseconds(below: 200))),
    ("load 100 x 1,000 tracks", Gate(workload: Workload.loadNew, limit: .milliseconds(below: 200))),
    ("save a position, durable", Gate(workload: Workload.saveDurable, limit: .milliseconds(below: 50))),
    ("add 50 tracks", Gate(workload: Workload.addNew, limit: .milliseconds(below: 100))),
    ("delete a collection", Gate(workload: Workload.deleteNew, limit: .milliseconds(below: 30))),
    ("delete a collection, aged", Gate(workload: Workload.deleteAged, limit: .milliseconds(below: 30))),
  ]

  /// The figure the gate looks at and whether it holds; nil if one of the contestants did not run.
  func verdict(for contestant: String, _ outcomes: [Outcome]) -> (figure: Double, met: Bool)? {
    let runs = outcomes.filter { $0.workload == workload }
    guard let own = runs.first(where: { $0.contestant == contestant }), !own.rounds.isEmpty else { return nil }
    switch limit {
    case .milliseconds(let below): return (own.rounds.median, own.rounds.median < below)
    case .nanosecondsMore(let atMost, let name):
      guard let other = runs.first(where: { $0.contestant == name }) else { return nil }
      let more = zip(own.rounds, other.rounds).map { ($0 - $1) * 1_000_000 }.median
      return (more, more <= atMost)
    case .throughput(let atLeast, let name):
      guard let other = outcomes.first(where: { $0.workload == name && $0.contestant == contestant }) else { return nil }
      let share = other.rounds.median / own.rounds.median
      return (share, share >= atLeast)
    case .megabytesPerSecond(let atLeast):
      guard let megabytes = own.megabytes else { return nil }
      let speed = megabytes / own.rounds.median * 1000
      return (speed, speed >= atLeast)
    case .ratio(let atMost, let name):
      guard let other = runs.first(where: { $0.contestant == name }) else { return nil }
      let ratio = own.pairedRatio(to: other)
      return (ratio, ratio <= atMost)
    case .ratioOfP99(let atMost, let name):
      guard let other = runs.first(where: { $0.contestant == name }) else { return nil }
      let ratio = own.operations.quantile(0.99) / other.operations.quantile(0.99)
      return (ratio, ratio <= atMost)
    case .timesFaster(let factor, let name):
      guard let other = runs.first(where: { $0.contestant == name }) else { return nil }
      let ratio = other.pairedRatio(to: own)
      return (ratio, ratio >= factor)
    }
  }

  /// What the first contestant needs.
  func cost(_ outcomes: [Outcome]) -> Double? {
    outcomes.first { $0.workload == workload && $0.contestant == roster.first?.name }?.rounds.median
  }

  var demand: String {
    switch limit {
    case .ratio(let atMost, let name): "<= \(atMost) x \(name)"
    case .ratioOfP99(let atMost, let name): "p99 <= \(atMost) x \(name)"
    case .timesFaster(let factor, let name): ">= \(factor) x faster than \(name)"
    case .milliseconds(let below): "< \(below) ms"
    case .nanosecondsMore(let atMost, let name): "<= \(atMost) ns more than \(name)"
    case .throughput(let atLeast, let name): ">= \(atLeast) x the throughput of \(name)"
    case .megabytesPerSecond(let atLeast): ">= \(atLeast) MB/s"
    }
  }
}
