import Foundation
package import HoldfastTransfer

/// What this program is. The parser makes the commands itself, so they find it here.
package struct Program: Sendable {
  /// As a person calls it. Default: the name of the executable file.
  var name = "holdfast"
  var libraries: [LibraryDescription] = []
  /// Its commands beside those that every library has.
  var commands: [any Subcommand.Type] = []

  package init(_ libraries: [LibraryDescription], commands: [any Subcommand.Type] = []) {
    (self.libraries, self.commands) = (libraries, commands)
  }

  /// Set before the first command line is parsed.
  static var current: Program {
    get { stored.lock.withLock { stored.program } }
    set { stored.lock.withLock { stored.program = newValue } }
  }

  static var name: String { current.name }

  private static let stored = Stored()

  private final class Stored: @unchecked Sendable {
    let lock = NSLock()
    // Guarded by `lock`.
    var program = Program([])
  }
}
