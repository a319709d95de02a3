import Holdfast
import HoldfastMusic
import HoldfastTesting

typealias World = LibraryWorld<MusicStore>

extension LibraryWorld<MusicStore> {
  static func temporary() throws -> World { try World() }
  static func inMemory() throws -> World { try World(inMemory: true) }
}
