internal import HoldfastTesting

extension Simulated {
  /// The database of a server as PostgreSQL replicates it: a primary and two replicas, each in one of the states that the database has had.
  ///
  /// The states are a tree. A push makes a child of the primary's state; a promotion makes a child of the state that the promoted replica was in.
  /// A replica follows the primary with a lag as long as its state lies on the primary's branch. Otherwise it has to be copied anew from the
  /// primary; until then it stays on its branch, and may be promoted there.
  ///
  /// Only the primary answers. A primary that ends within a commit needs no case of its own: nobody has seen that commit, or its answer is lost.
  struct Replicas {
    private struct State {
      let copy: Server.Copy
      let parent: Int?
    }

    /// Whether a push is answered only when one of the replicas has it. Then that replica is the one that is promoted.
    let isSynchronous: Bool
    private var states: [State]
    /// The places of the nodes' states in `states`.
    private var (primary, replicas) = (0, [0, 0])
    /// The replica that was the primary, as long as nobody has stopped it: it does not know of the promotion, and answers whoever reaches it.
    private var former: Int?
    /// The state with which the present epoch began.
    private var beginning = 0

    init(_ copy: Server.Copy, isSynchronous: Bool) {
      self.isSynchronous = isSynchronous
      states = [State(copy: copy, parent: nil)]
    }

    var hasFormer: Bool { former != nil }

    /// The state of the primary.
    var present: Server.Copy { states[primary].copy }

    /// A transaction of the primary.
    mutating func commit(_ copy: Server.Copy, _ random: inout SeededGenerator) {
      states.append(State(copy: copy, parent: primary))
      primary = states.count - 1
      if isSynchronous { copyAnew(Int.random(in: replicas.indices, using: &random)) }
    }

    /// The primary's first transaction in a new epoch.
    mutating func beginEpoch(_ copy: Server.Copy, _ random: inout SeededGenerator) {
      commit(copy, &random)
      beginning = primary
    }

    /// A backup has taken the primary's place, in a new epoch: no replica can follow that.
    mutating func beginAnew(_ copy: Server.Copy) {
      states.append(State(copy: copy, parent: nil))
      (primary, beginning) = (states.count - 1, states.count - 1)
    }

    /// A replica comes nearer to the primary. A former primary that is still running is stopped for that.
    mutating func follow(_ random: inout SeededGenerator) {
      let number = Int.random(in: replicas.indices, using: &random)
      if former == number { former = nil }
      let branch = branch(to: primary)
      guard let place = branch.firstIndex(of: replicas[number]) else {
        if random.chance(30) { copyAnew(number) }
        return
      }
      replicas[number] = branch[min(place + Int.random(in: 1...5, using: &random), branch.count - 1)]
    }

    /// Makes a replica the primary, and the primary a replica. Returns whether the new primary has never seen the present epoch.
    mutating func promote(_ random: inout SeededGenerator) -> Bool {
      let number = random.pick(replicas.indices.filter { !isSynchronous || replicas[$0] == primary })
      exchange(number)
      former = number
      return !branch(to: primary).contains(beginning)
    }

    /// Makes the former primary the one that answers, and the primary a replica; a second time the reverse.
    mutating func exchangeFormer() {
      if let former { exchange(former) }
    }

    private mutating func exchange(_ number: Int) { (primary, replicas[number]) = (replicas[number], primary) }

    private mutating func copyAnew(_ number: Int) {
      if former == number { former = nil }
      replicas[number] = primary
    }

    /// The states from the first one to this one.
    private func branch(to last: Int) -> [Int] {
      Array(sequence(first: last) { states[$0].parent }.reversed())
    }
  }
}

extension Simulated.Server {
  /// From now on the server has replicas.
  func replicate(isSynchronous: Bool) throws { replicas = Simulated.Replicas(try copy(), isSynchronous: isSynchronous) }

  /// Notes a transaction, where the server has replicas.
  func commit(_ random: inout SeededGenerator) throws {
    guard replicas != nil else { return }
    let copy = try copy()
    replicas?.commit(copy, &random)
  }

  /// A replica takes the primary's place, and begins a new epoch. Nothing happens without replicas.
  ///
  /// - Returns: what that was, for the world's counters.
  /// - Throws: `Simulated.Violation` where a synchronous replica lacks what was acknowledged.
  func failOver(_ random: inout SeededGenerator) throws -> [Simulated.Event] {
    guard var replicas else { return [] }
    let before = held
    let isNested = replicas.promote(&random)
    try begin(from: replicas.present)
    replicas.beginEpoch(try copy(), &random)
    self.replicas = replicas
    let isLost = !before.isSubset(of: held)
    guard !isLost || !replicas.isSynchronous else { throw Simulated.Violation("a synchronous replica lacks what was acknowledged") }
    return [replicas.isSynchronous ? .promoted : .failedOver] + (isLost ? [.abandoned] : []) + (isNested ? [.nested] : [])
  }

  /// Runs `body` while the former primary answers, in its epoch and with its state.
  func asFormer<T>(_ body: () throws -> T) throws -> T {
    replicas?.exchangeFormer()
    if let present = replicas?.present { try rewind(to: present) }
    let result = try body()
    replicas?.exchangeFormer()
    if let present = replicas?.present { try rewind(to: present) }
    return result
  }
}
