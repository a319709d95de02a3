import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

typealias World = LibraryWorld<InferenceStore>

extension LibraryWorld<InferenceStore> {
  var inference: InferenceStore { library }

  /// With a key for secrets.
  static func temporary(secretKey: SecretKey? = World.secretKey) throws -> World {
    try World { InferenceStore($0, secretKey: secretKey) }
  }

  static func inMemory(secretKey: SecretKey? = World.secretKey) throws -> World {
    try World(inMemory: true) { InferenceStore($0, secretKey: secretKey) }
  }

  /// The same 32 bytes in every world.
  static var secretKey: SecretKey { SecretKey { Data((0..<32).map { UInt8($0) }) } }
}
