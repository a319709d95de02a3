internal import Foundation
internal import Holdfast
internal import SyncHistory

extension FaultRun {
  /// Ends all, and judges what is there.
  func judge() throws {
    for station in stations {
      station.child?.order("end")
      if let end = station.child?.waitForEnd(), end == "exited with 0" { continue }
      tally.report(.ended, "device \(station.number), at its order: \(station.child?.end ?? "no end")")
    }
    for problem in side.stop() { tally.report(.ended, problem) }
    do { try side.run("check") } catch { tally.report(.check, "\(error)") }
    let kept = try side.lines()
    compare("the server's digest and its rows", kept.digest, kept.lines, kept.lines)
    try tally.report(side.sight(of: stations.count).violations)
    tally.count("checks of the server")
    var first: [String]?
    for station in stations {
      let rows = try judge(station, kept.digest, kept.lines)
      if let first, let difference = Self.difference(first, rows) {
        tally.report(.convergence, "device \(station.number) has \(difference.right), and device 0 \(difference.left)")
      }
      first = first ?? rows
      tally.count("checks of convergence")
    }
  }

  /// Returns the rows of the device's tables.
  private func judge(_ station: Station, _ digest: Int64, _ lines: [String]) throws -> [String] {
    let report = try Store.check(at: station.store, schemas: [Notes.schema])
    for finding in report.findings { tally.report(.check, "device \(station.number): \(finding.message)") }
    tally.count("checks of a device's store")
    let store = try Store.open(at: station.store, schemas: [Notes.schema])
    defer { try? store.close() }
    return try store.read { reader in
      let sight = try Notes.sight(of: stations.count, in: reader)
      tally.report(sight.violations)
      for (other, counter) in zip(stations, sight.counters) where other.history.committed != counter {
        tally.report(
          .lostAcknowledged,
          "device \(station.number) is at \(counter) of device \(other.number), which has committed \(other.history.committed)")
      }
      tally.count("checks of lost writes")
      let orphans = try reader.values("SELECT \"table\", rowid FROM pragma_foreign_key_check") { row in
        "\(try row.text()) \(try row.value())"
      }
      for orphan in orphans { tally.report(.foreignKeys, "device \(station.number): \(orphan)") }
      tally.count("checks of foreign keys")
      compare("the server and device \(station.number)", digest, lines, try WireRow.lines(in: reader))
      return try Notes.tables.flatMap { name, columns in
        try reader.values("SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: name) ORDER BY id") { row in
          var text = name
          for _ in columns { text += " \(try row.value())" }
          return text
        }
      }
    }
  }

  /// Compares the server's digest with the one that the rows of the other side give.
  private func compare(_ sides: String, _ digest: Int64, _ lines: [String], _ others: [String]) {
    tally.count("checks of digests")
    guard WireRow.digest(of: others) != digest else { return }
    let difference = Self.difference(lines, others).map { ": \($0.left) and \($0.right)" } ?? ""
    tally.report(.digest, "\(sides) differ\(difference)")
  }

  /// The first lines that differ.
  private static func difference(_ left: [String], _ right: [String]) -> (left: String, right: String)? {
    guard left != right else { return nil }
    let place = zip(left, right).prefix { $0.0 == $0.1 }.count
    return (left.dropFirst(place).first ?? "nothing", right.dropFirst(place).first ?? "nothing")
  }
}
