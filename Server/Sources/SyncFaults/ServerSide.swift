internal import SyncHistory

/// What the devices of a run sync with, and how it is broken.
protocol ServerSide: AnyObject {
  /// What `breakIt` does, one after the other.
  var faults: [Fault] { get }
  /// The connections between its parts, which are cut at random like those of the devices.
  var proxies: [Proxy] { get }
  /// Makes what a command of `holdfast-server` needs.
  func prepare() throws
  /// Runs a command of `holdfast-server` to its end; returns its output.
  @discardableResult
  func run(_ arguments: String...) throws -> String
  /// Returns the port when it takes requests.
  func start() throws -> Int
  /// Does a fault, and mends it. Returns whether it had an effect.
  func breakIt(_ fault: Fault, in run: FaultRun) throws -> Bool
  /// Before all faults are done once more.
  func rest() throws
  /// Starts again what has ended by itself. Returns how it ended.
  func revive() throws -> [String]
  /// Ends all as an operator does, but leaves what `lines()` needs. Returns what did not end well.
  func stop() -> [String]
  /// Ends everything at once.
  func kill()
  /// The rows of the space as they are kept, by table and key, and the digest that is kept of them.
  func lines() throws -> (lines: [String], digest: Int64)
}

extension ServerSide {
  /// What the server has of the transactions of all devices.
  func sight(of devices: Int) throws -> Sight {
    var counters: [(id: String, n: Int, seen: String)] = []
    var tags: [(id: String, tags: [String])] = []
    for line in try lines().lines {
      guard let row = WireRow(line), row.generation % 2 == 1 else { continue }
      if row.table == "counters" { counters.append((row.key, row.current["n"] as? Int ?? -1, row.current["seen"] as? String ?? "")) }
      guard row.table == "notes", row.key.hasPrefix("p") else { continue }
      tags.append((row.key, ["title", "pair_a", "pair_b"].map { row.current[$0] as? String ?? "none" }))
    }
    return try Notes.sight(of: devices, counters: counters, tags: tags)
  }
}
