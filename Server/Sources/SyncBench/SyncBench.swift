internal import ArgumentParser
internal import Foundation

/// `sync-bench`: devices and a server on this machine, over HTTP, as ratios within one run.
@main
struct SyncBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-bench", abstract: "Measures devices with a sync server, over HTTP on this machine.",
    subcommands: [Pairs.self, Load.self, ServeCommand.self, DeviceCommand.self], defaultSubcommand: Pairs.self)

  static func makeFolder() throws -> URL {
    signal(SIGPIPE, SIG_IGN)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
