import ArgumentParser
import Foundation
import Holdfast

/// The keys of encrypted stores and sealed spaces, from the environment.
enum CommandKey {
  static let variable = StoreKey.variableName
  /// For the key that `encrypt` and `rekey` write with.
  static let newVariable = "HOLDFAST_NEW_KEY"
  static let spaceVariable = "HOLDFAST_SYNC_KEY"

  static let help = "The key is 32 bytes, as 64 hexadecimal digits or in Base64"

  /// The key of the store; nil where none is given. Read once, because a descriptor can be read only once.
  static let present = Result { try key(in: variable) }
  static let new = Result { try key(in: newVariable) }
  static let space = Result { try key(in: spaceVariable) }

  private static func key(in variable: String) throws -> StoreKey? {
    do { return try StoreKey.inEnvironment(ProcessInfo.processInfo.environment, variable: variable) } catch let error as StoreError {
      throw ValidationError("\(error.message).")
    }
  }
}
