internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated.Device {
  /// What a snapshot has.
  struct Moment {
    let device: Int
    fileprivate let picture: StorePicture
    fileprivate let version: Int
    fileprivate let rows: [SyncRow.Name: RowValues]
    /// The parked rows that are not deleted.
    fileprivate let parked: Set<SyncRow.Name>
  }

  /// The present state. Nil where it is half of a transaction: gone back to, it would be one for ever.
  func moment() throws -> Moment? {
    guard try halves() == 0 else { return nil }
    return Moment(
      device: number, picture: try StorePicture(of: store), version: version, rows: try rows(), parked: try parked().intersection(living()))
  }

  private func living() throws -> Set<SyncRow.Name> {
    Set(try store.read { reader in try generations(in: reader) }.filter { $1 & 1 == 1 }.keys)
  }

  /// Restores the snapshot of a moment in the open store: in a file, because a store in memory has none.
  fileprivate func rewind(to moment: Moment) throws {
    try setTime()
    let folder = try TemporaryFolder()
    let then = try Self.connected(moment.version, in: folder)
    try moment.picture.restore(into: then)
    let snapshot = try then.snapshot()
    try then.close()
    let now = try folder.store([Simulated.schema(version)], options: Self.options)
    try StorePicture(of: store).restore(into: now)
    try now.restore(snapshot: snapshot.id)
    try StorePicture(of: now).restore(into: store)
    try now.close()
    unsent = try words()
    let (rows, living) = (try rows(), try living())
    // A migration rewrites values.
    guard moment.version < version ? Set(rows.keys) == Set(moment.rows.keys) : rows == moment.rows else {
      throw Simulated.Violation("device \(number) has other rows than the snapshot to which it went back")
    }
    let gone = moment.parked.union(rows.keys).subtracting(living).sorted().map { "\($0.table.text)/\($0.key.text)" }
    guard gone.isEmpty else { throw Simulated.Violation("device \(number) would delete what the snapshot has: \(gone)") }
  }
}

extension Simulated.World {
  /// An edit of all that differs.
  func rewind(_ device: Simulated.Device, to moment: Simulated.Device.Moment) throws {
    // A limit may have refused, or refuse later, one row of a pair. A rewind edits the other, and would keep the pair apart for good.
    guard try !tearsTransactions && device.halves() == 0 else { return }
    let (before, old) = try state(of: device, parked: "before")
    try device.rewind(to: moment)
    let (after, new) = try state(of: device, parked: "after")
    noteBirths(after.filter { before[$0.key] != $0.value })
    let edited = Self.edited(from: old, to: new)
    unshared.subtract(edited.words)
    written.merge(try device.notes(of: edited.names)) { max($0, $1) }
    count(.rewound, edited.names.count)
  }

  /// The generations and values of all rows. A row that is or was parked may get a stamp, so it counts as changed.
  private func state(of device: Simulated.Device, parked mark: String) throws -> (
    generations: [SyncRow.Name: Int64], contents: [SyncRow.Name: RowValues]
  ) {
    let generations = try device.store.read { reader in try device.generations(in: reader) }
    var contents = try device.contents(of: generations.keys.sorted())
    for name in try device.parked() { contents[name]?[ExactText("")] = ExactText(mark) }
    return (generations, contents)
  }
}
