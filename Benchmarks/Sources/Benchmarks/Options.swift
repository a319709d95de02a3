/// The command line's wishes.
struct Options {
  static let groups = ["W1", "W2", "W3", "W5", "W6", "bulk", "import", "music", "workouts", "csv", "inference", "archive", "sync"]
  static let usage = """
    usage: Benchmarks [--rounds N] [--only W1,W3] [--write FILE]

      --rounds N     timed rounds a workload, 7 unless told
      --only LIST    some of \(groups.joined(separator: ", "))
      --write FILE   also write the report as Markdown
    """
  var rounds = 7
  var only = Set(groups)
  var write: String?
  var wantsHelp = false

  init(_ arguments: [String]) throws {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--rounds":
        guard let count = rest.next().flatMap({ Int($0) }), count > 0 else { throw Failure("--rounds wants a count above zero") }
        rounds = count
      case "--only":
        only = Set((rest.next() ?? "").split(separator: ",").map(String.init))
        guard !only.isEmpty, only.isSubset(of: Self.groups) else {
          throw Failure("--only wants some of \(Self.groups.joined(separator: ","))")
        }
      case "--write":
        guard let file = rest.next() else { throw Failure("--write wants a file name") }
        write = file
      case "--help", "-h": wantsHelp = true
      default: throw Failure("unknown option \(argument)\n\(Self.usage)")
      }
    }
  }
}
