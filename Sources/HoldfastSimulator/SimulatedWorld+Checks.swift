internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated.World {
  /// What must hold when every device and the server have everything.
  ///
  /// - Throws: `Simulated.Violation` with the first difference.
  func check() throws {
    let rows = try server.rows(at: now)
    try checkAcknowledged(rows)
    count(.forgotten, rows.values.count { $0.forgets })
    for row in rows.values.sorted(by: { $0.name < $1.name }) where row.isAlive && born[row.name]?.contains(row.generation) != true {
      throw Simulated.Violation("nobody inserted \(Self.text(of: row)): a deleted row came back")
    }
    for row in rows.values.sorted(by: { $0.name < $1.name }) {
      let strays = unshared.intersection(row.current.values.flatMap { Simulated.Device.words(in: $0.text) })
      guard strays.isEmpty else { throw Simulated.Violation("\(strays.sorted()) should have gone, and \(Self.text(of: row)) was sent") }
    }
    let parked = try devices.first?.parked() ?? []
    for device in devices {
      let own = try device.parked()
      guard own == parked else {
        let names = own.symmetricDifference(parked).sorted().map(Self.text(of:))
        throw Simulated.Violation("parked on device 0 or on device \(device.number), but not on both: \(names)")
      }
      try compare(device, parked, with: rows)
      let broken = try device.count(
        """
        SELECT (SELECT count(*) FROM pragma_foreign_key_check('drafts'))
          + (SELECT count(*) FROM holdfast_sync_aside WHERE (tbl, key) NOT IN (SELECT tbl, key FROM holdfast_sync_parked))
        """)
      guard broken == 0 else { throw Simulated.Violation("device \(device.number): a draft has no item, or is kept beside nothing") }
      guard try keepsHalves || device.halves() == 0 else {
        throw Simulated.Violation("device \(device.number) shows half of a transaction at the end")
      }
      let findings = try device.store.rows("SELECT * FROM pragma_integrity_check")
      guard findings == ["ok"] else { throw Simulated.Violation("device \(device.number): \(findings)") }
    }
  }

  /// What a server took stays, where one that has it is left, and always with a synchronous replica: a later value may take its place.
  private func checkAcknowledged(_ rows: [SyncRow.Name: SyncRow]) throws {
    let losesNothing = server.replicas?.isSynchronous == true
    let held = losesNothing ? Set(acknowledged.indices) : devices.reduce(server.held) { $0.union($1.held) }
    for (number, sent) in acknowledged.enumerated() where held.contains(number) {
      guard let row = rows[sent.name] else { throw Simulated.Violation("the server lost \(Self.text(of: sent))") }
      guard Self.covers(row, sent) else {
        throw Simulated.Violation("the server took \(Self.text(of: sent)), and has \(Self.text(of: row))")
      }
      guard !isOutdated(row.note, by: sent.note) || row.generation != sent.generation else {
        throw Simulated.Violation("a migrated value of before won over \(Self.text(of: sent)): \(Self.text(of: row))")
      }
    }
  }

  private static func covers(_ row: SyncRow, _ sent: SyncRow) -> Bool {
    guard row.generation == sent.generation else { return row.generation > sent.generation }
    guard row.forgets || !sent.forgets else { return false }
    return row.birth >= sent.birth
      && sent.exceptions.allSatisfy { group, exception in max(row.birth, row.exceptions[group]?.stamp ?? .zero) >= exception.stamp }
  }

  /// The tables of a device against the rows of the server.
  private func compare(_ device: Simulated.Device, _ parked: Set<SyncRow.Name>, with rows: [SyncRow.Name: SyncRow]) throws {
    let known = Set(device.known.map { ExactText($0.name) })
    let living = rows.filter { $1.isAlive && known.contains($0.table) }
    let standing = try device.rows()
    for name in Set(living.keys).union(standing.keys).sorted() {
      let place = "\(Self.text(of: name)) of device \(device.number)"
      guard let row = living[name] else { throw Simulated.Violation("\(place) is not on the server") }
      guard let values = standing[name] else {
        guard parked.contains(name) else { throw Simulated.Violation("\(place) is missing") }
        continue
      }
      guard !parked.contains(name) else { throw Simulated.Violation("\(place) is parked, and stands in its table") }
      let current = row.current
      for (column, value) in values where (current[column] ?? ExactText("null")) != value {
        throw Simulated.Violation("\(place): \(column.text) is \(value.text), and \(current[column]?.text ?? "missing") on the server")
      }
    }
    // A row that was written by an older version lacks newer columns on the server, until somebody writes them.
    guard living.allSatisfy({ name, row in standing[name].map { Set($0.keys).isSubset(of: row.current.keys) } ?? true }) else { return }
    for (name, row) in rows.sorted(by: { $0.key < $1.key }) where known.contains(name.table) {
      let own = try device.store.read { reader in try device.sync.row(name, in: reader) }
      guard own == row else {
        throw Simulated.Violation("device \(device.number) would send \(own.map(Self.text(of:)) ?? "nothing") for \(Self.text(of: row))")
      }
    }
    try server.checkDigest(of: device)
  }

  private static func text(of name: SyncRow.Name) -> String { "\(name.table.text)/\(name.key.text)" }

  private static func text(of row: SyncRow) -> String {
    let values = row.values.sorted { $0.key < $1.key }.map { "\($0.key.text)=\($0.value.text)" }
    let exceptions = row.exceptions.sorted { $0.key < $1.key }.map {
      "\($0.key.text)@\($0.value.stamp.text)=\($0.value.values.map(\.text).joined(separator: ","))"
    }
    return "\(text(of: row.name)) g\(row.generation) @\(row.birth.text) \((values + exceptions).joined(separator: " "))"
  }
}
