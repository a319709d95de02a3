import Holdfast
import HoldfastMusic
import HoldfastTesting

typealias World = LibraryWorld<MusicStore>

extension LibraryWorld<MusicStore> {
  static func temporary() throws -> World { try World(MusicStore.schema) { MusicStore($0) } }
  static func inMemory() throws -> World { try World(MusicStore.schema, inMemory: true) { MusicStore($0) } }
}
