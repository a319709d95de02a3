internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import SyncHistory

/// A device: writes, looks and syncs until it is told to settle, and then to end. Its log goes to standard output, its orders come from standard input.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "A device, which `run` starts. Its token is in HOLDFAST_SYNC_TOKEN.")

  @Option var number: Int
  @Option var devices: Int
  @Option var store: String
  @Option var port: Int
  @Option var seed: UInt64

  func run() async throws {
    let step = ClockStep()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSinceNow: step.seconds) }
    options.trace = { sql in
      if sql == "UPDATE holdfast_sync SET applying = 1" { say(.applying) }
      if sql == "UPDATE holdfast_sync SET applying = 0" { say(.applied) }
    }
    let device = Device(
      number: number, devices: devices, store: try Store.open(at: URL(fileURLWithPath: store), schemas: [Notes.schema], options: options),
      step)
    guard let address = URL(string: "http://127.0.0.1:\(port)") else { throw ExitCode(64) }
    let token = ProcessInfo.processInfo.environment["HOLDFAST_SYNC_TOKEN"]
    let sync = try StoreSync(device.store, server: .init(address, space: "anna") { token })
    try await sync.connect(.merge)
    say(.started(try device.begin()))
    try sync.start()
    Thread { [seed] in device.write(Chance(seed)) }.start()
    Thread { device.look() }.start()
    Thread { device.obey() }.start()
    await device.finish(with: sync, Chance(seed &+ 1))
    await sync.stop()
    try device.store.close()
  }
}

/// Tells one line, which a kill leaves whole or out.
func say(_ event: DeviceEvent) {
  let line = Array((event.line + "\n").utf8)
  _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// Tells that a call failed.
func say(_ call: String, _ error: any Error) { say(.failed("\(call) \((error as? StoreError)?.code.rawValue ?? "\(type(of: error))")")) }
