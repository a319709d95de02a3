public import Holdfast
internal import HoldfastSync

/// All of a space, on its way into another store.
public struct SpaceCopy: Sendable {
  /// The most rows that a store reads at once, and the bytes of their lines with which it stops: 1,000 and 8 MB.
  public static let part = (rows: 1_000, bytes: 8 << 20)

  /// The space.
  public let space: StoredSpace
  /// Its tokens.
  public let tokens: [StoredToken]
  private let next: @Sendable (_ after: SyncLine?) async throws -> [SyncLine]

  /// - Parameter next: the rows behind the given one, by table and key: at least one if there is one. Nil: from the first on.
  public init(_ space: StoredSpace, _ tokens: [StoredToken], next: @escaping @Sendable (_ after: SyncLine?) async throws -> [SyncLine]) {
    (self.space, self.tokens, self.next) = (space, tokens, next)
  }

  /// Hands out all rows in parts, and counts them at the end.
  ///
  /// - Throws: the error of `body`; `.busy` when they are not the rows of the space: it has changed in between, or is damaged.
  public func each(_ body: (_ part: [SyncLine]) async throws -> Void) async throws {
    var sum = SpaceSum()
    try await walk { part in
      for line in part { sum.add(line) }
      try await body(part)
    }
    guard sum.problems(of: space).isEmpty else {
      throw StoreError(
        .busy, "the space \(space.space) changed while it was copied",
        suggestion: "Stop the servers of the store that is copied, and check it with holdfast-server check.")
    }
  }

  fileprivate func problems() async throws -> [IntegrityReport.Finding] {
    var sum = SpaceSum()
    var findings: [IntegrityReport.Finding] = []
    try await walk { part in
      for line in part {
        sum.add(line)
        do { _ = try StoredLine(line) } catch let error as StoreError {
          findings.append(.init(part: .records, table: SyncLine.table, row: line.key, message: error.message))
        }
      }
    }
    return findings + sum.problems(of: space)
  }

  private func walk(_ body: (_ part: [SyncLine]) async throws -> Void) async throws {
    var part = try await next(nil)
    while let last = part.last {
      try await body(part)
      part = try await next(last)
    }
  }
}

extension SyncSpaces {
  /// Moves a space with its rows, tokens, limits and lineage into another store, in which a new epoch begins. Stop the servers of both stores
  /// before. A push, a new token and a revoked one in between are found before the space is removed here.
  ///
  /// The space is removed here after the other store has it on the disk.
  /// - Throws: `.notFound`; `.constraint` when the other store has a space, or a token, of the same name; `.busy` when the space changed
  ///   in between. Then the other store is as it was.
  public func move(_ name: String, to other: any SyncSpaces) async throws {
    let copied = try await copying(name) { copy in
      try await other.take(copy)
      return copy
    }
    do { try await removeSpace(name, unchanged: copied) } catch let error as StoreError where error.code == .busy {
      try await other.removeSpace(name, unchanged: nil)
      throw error
    }
  }

  /// What is wrong with the spaces: lines that are not their row, counts and digests that are not those of the rows.
  ///
  /// - Throws: the errors of the store.
  public func problems() async throws -> [IntegrityReport.Finding] {
    var findings: [IntegrityReport.Finding] = []
    for space in try await spaces() {
      findings += try await copying(space.name) { copy in try await copy.problems() }
    }
    return findings
  }
}

/// What the rows of a space add up to.
struct SpaceSum {
  private var (rows, bytes, digest, last): (Int64, Int64, UInt64, Int64) = (0, 0, 0, 0)

  init() {}

  /// The sum over all rows of a space.
  init(of space: String, _ reader: Reader) throws {
    try reader.each(SyncLine.self, "WHERE space = \(space)") { line in add(line) }
  }

  mutating func add(_ line: SyncLine) {
    rows += 1
    bytes += Int64(line.line.utf8.count)
    digest &+= SyncRow.digest(ofLine: line.line)
    last = max(last, line.sequence)
  }

  /// Writes what the rows add up to into the space.
  func write(into space: inout StoredSpace) {
    (space.rows, space.bytes, space.digest) = (rows, bytes, Int64(bitPattern: digest))
    space.head = max(space.head, last)
  }

  /// What the space says otherwise.
  func problems(of space: StoredSpace) -> [IntegrityReport.Finding] {
    guard !space.isPartial else {
      let message = "only a part of the space is here: where no move runs, remove it here, then move it again"
      return [.init(part: .invariants, table: StoredSpace.table, row: space.space, message: message)]
    }
    let (countsRows, countsPushes) = (rows == space.rows && bytes == space.bytes, last <= space.head)
    // With wrong counts, the next start of the server mends the digest, too.
    let advice = countsRows && countsPushes ? ": go back to a backup" : ""
    return [
      countsRows ? nil : "the space does not count its rows and their bytes",
      digest == UInt64(bitPattern: space.digest) ? nil : "the digest of the space is not the sum over its rows" + advice,
      countsPushes ? nil : "the head of the space is below the number of a push",
    ].compactMap { $0.map { .init(part: .invariants, table: StoredSpace.table, row: space.space, message: $0) } }
  }
}
