import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

typealias World = LibraryWorld<AudiobookLibrary>

extension LibraryWorld<AudiobookLibrary> {
  static func temporary() throws -> World { try World() }
  static func inMemory() throws -> World { try World(inMemory: true) }
}
