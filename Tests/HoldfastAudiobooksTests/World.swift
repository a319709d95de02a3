import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

typealias World = LibraryWorld<AudiobookLibrary>

extension LibraryWorld<AudiobookLibrary> {
  static func temporary() throws -> World { try World(AudiobookLibrary.schema) { AudiobookLibrary($0) } }
  static func inMemory() throws -> World { try World(AudiobookLibrary.schema, inMemory: true) { AudiobookLibrary($0) } }
}
