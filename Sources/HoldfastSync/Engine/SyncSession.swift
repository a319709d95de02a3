internal import Foundation
internal import Holdfast

/// What a process holds while it syncs a store: the lock, and the device's half. Callers wait for each other, and for the store.
final class SyncSession: @unchecked Sendable {
  private let store: Store
  private let space: String
  private let key: StoreKey?
  // Guarded by `lock`.
  private var held: (folder: FolderLock?, device: SyncDevice?)?
  private let lock = NSLock()

  init(_ store: Store, space: String, key: StoreKey?) { (self.store, self.space, self.key) = (store, space, key) }

  /// - Throws: `.readOnly`; `.misuse` and `.wrongKind` as `SpaceState.check`; `.busy` when the store is synced elsewhere.
  func begin() throws {
    try lock.withLock { try beginLocked() }
  }

  private func beginLocked() throws {
    guard held == nil else { return }
    try store.checkWritable()
    try store.read(as: "sync.check") { reader in try SpaceState.check(space, in: reader) }
    held = (try store.lockForSync(), nil)
  }

  /// Runs `body` with the device, which is opened first if needed.
  func with<T>(_ body: (SyncDevice) throws -> T) throws -> T {
    try lock.withLock {
      try beginLocked()
      if let device = held?.device { return try body(device) }
      let device = try SyncDevice(store, node: .random(in: 0...Stamp.largestNode), key: key) { [store] in store.milliseconds }
      held?.device = device
      return try body(device)
    }
  }

  /// Gives the lock back.
  func end() { lock.withLock { held = nil } }
}

extension Store {
  /// The device's time.
  var milliseconds: Int64 { DateCodec.milliseconds(options.now()) ?? 0 }
}
