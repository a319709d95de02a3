import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

typealias World = LibraryWorld<AudiobookLibrary>

extension LibraryWorld<AudiobookLibrary> {
  static func temporary() throws -> World { try World() }
  static func inMemory() throws -> World { try World(inMemory: true) }

  static func holding(_ collections: AudiobookCollection...) async throws -> World {
    let world = try temporary()
    for collection in collections { try await world.library.save(collection) }
    return world
  }
}
