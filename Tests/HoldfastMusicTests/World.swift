import Holdfast
import HoldfastMusic
import HoldfastTesting

typealias World = LibraryWorld<MusicStore>

extension LibraryWorld<MusicStore> {
  static func temporary() throws -> World { try World() }
  static func inMemory() throws -> World { try World(inMemory: true) }

  /// With what every verb is tried on.
  static func prepared() async throws -> (world: World, known: Known) {
    let world = try temporary()
    return (world, try await VerbCase.prepare(world))
  }
}
