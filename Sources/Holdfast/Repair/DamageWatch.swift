import Foundation
import Logging

/// Looks for damage of one open store: after a crash, and when it is idle and the last clean look is too old. Notes what calls meet.
final class DamageWatch: @unchecked Sendable {
  private static let idle: Duration = .seconds(2)
  private static let firstLook: Duration = .seconds(60)

  private let files: StoreFiles
  private let options: StoreOptions
  private let queue = DispatchQueue(label: "holdfast.damage", qos: .utility)
  // Guarded by `lock`.
  private var damage: StoreDamage?
  /// Not before this time does it look by itself.
  private var next: ContinuousClock.Instant?
  private var listeners: [UUID: AsyncStream<StoreDamage?>.Continuation] = [:]
  private var isEnded = false
  private let lock = NSLock()
  /// Set once, before the store is used.
  weak var store: Store?
  private lazy var watch = IdleWatch(on: queue, after: Self.idle) { [weak self] in self?.lookIfDue() }

  init(_ files: StoreFiles, _ options: StoreOptions) {
    (self.files, self.options) = (files, options)
    damage = StoreHealth(files).damage
  }

  var found: StoreDamage? { lock.withLock { damage } }

  /// The present state, and then each change.
  func updates() -> AsyncStream<StoreDamage?> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreDamage?.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    continuation.onTermination = { [weak self] _ in self?.lock.withLock { self?.listeners[id] = nil } }
    lock.withLock {
      continuation.yield(damage)
      if isEnded { continuation.finish() } else { listeners[id] = continuation }
    }
    return stream
  }

  /// Call once, when the store is open.
  func opened(afterCrash: Bool) {
    guard options.looksForDamageEvery != nil else { return }
    // A program that only opens a store, reads something and ends leaves no file beside it.
    if afterCrash { return queue.async { [weak self] in self?.look() } }
    if StoreHealth(files) != StoreHealth() { return queue.async { [weak self] in self?.lookIfDue() } }
    queue.asyncAfter(deadline: .now() + Self.firstLook.inSeconds) { [weak self] in self?.lookIfDue() }
  }

  /// Call after each commit.
  func committed() {
    guard options.looksForDamageEvery != nil else { return }
    let due: IdleWatch? = lock.withLock { next.map { $0 > .now } ?? false ? nil : watch }
    due?.committed()
  }

  /// Ends a look under way, and waits for that.
  func end() {
    let all = lock.withLock {
      isEnded = true
      defer { listeners = [:] }
      return Array(listeners.values)
    }
    for listener in all { listener.finish() }
    queue.sync {}
  }

  /// Waits for everything that is due now.
  func settle() { queue.sync {} }

  /// Notes an error of SQLite that tells damage.
  func met(_ error: StoreError) {
    guard tellsDamage(error), lock.withLock({ damage == nil }) else { return }
    note(damageNow(.reading, error.message))
  }

  /// The content was replaced by a sound one.
  func replaced() { note(nil) }

  private func note(_ now: StoreDamage?, isClean: Bool = false) {
    let (isNew, all) = lock.withLock {
      defer { damage = now }
      return (damage != now, Array(listeners.values))
    }
    // On a full disk the file stays as it was.
    try? StoreHealth.change(files) { health in
      health.damage = now
      if isClean { health.checkedAt = DateCodec.rounded(options.now()) }
    }
    guard isNew else { return }
    if let now { options.logger.error("damage", metadata: ["path": "\(files.path)", "source": "\(now.source.rawValue)"]) }
    for listener in all { listener.yield(now) }
  }

  private func lookIfDue() {
    guard let period = options.looksForDamageEvery else { return }
    let now = options.now()
    let age = StoreHealth(files).checkedAt.map { now.timeIntervalSince($0) }
    // The clock may have been set back.
    guard let age, age >= 0, age < period.inSeconds else { return look() }
    lock.withLock { next = .now + .seconds(period.inSeconds - age) }
  }

  private func look() {
    guard let store, !lock.withLock({ isEnded }) else { return }
    if let period = options.looksForDamageEvery { lock.withLock { next = .now + period } }
    do {
      _ = try look(in: store)
    } catch {
      guard !lock.withLock({ isEnded }) else { return }
      options.logger.error("the look for damage failed", metadata: ["path": "\(files.path)", "code": "\(StoreError(error).code.rawValue)"])
    }
  }

  /// Compares the pages with the archive, and runs SQLite's quick check. Returns what it found.
  func look(in store: Store) throws -> StoreDamage? {
    let found = try pages(of: store) ?? check()
    // A pause for the archive, or a store that is being closed, has not seen everything.
    if !lock.withLock({ isEnded }) { note(found, isClean: found == nil) }
    return found
  }

  /// Before a snapshot counts.
  func lookAtPages(of store: Store) { if let found = try? pages(of: store) { note(found) } }

  private func pages(of store: Store) throws -> StoreDamage? {
    let differing = try store.pagesUnlikeArchive()
    guard !differing.isEmpty else { return nil }
    let few = differing.prefix(5).map { String($0) }.joined(separator: ", ")
    let names = differing.count > 5 ? "\(few) and \(differing.count - 5) more" : few
    return damageNow(.pages, "\(files.path): \(differing.count == 1 ? "page" : "pages") \(names) changed outside SQLite")
  }

  private func check() throws -> StoreDamage? {
    do {
      let connection = try ConnectionFactory(files, options).examiner()
      return try Snapshot.damage(connection, quick: true).first.map { damageNow(.check, "\(files.path): \($0)") }
    } catch let error as StoreError where tellsDamage(error) {
      return damageNow(.check, "\(files.path): \(error.message)")
    }
  }

  private func damageNow(_ source: StoreDamage.Source, _ message: String) -> StoreDamage {
    StoreDamage(foundAt: DateCodec.rounded(options.now()), source: source, message: message)
  }

  /// Whether SQLite found that the file is damaged. With a key, one that is no database may have another key.
  private func tellsDamage(_ error: StoreError) -> Bool {
    error.sqliteCode != nil && (error.code == .damaged || error.code == .notADatabase && options.key == nil)
  }
}
