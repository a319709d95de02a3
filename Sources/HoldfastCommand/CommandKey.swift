import ArgumentParser
import Foundation
import Holdfast

/// The keys of encrypted stores, from the environment. No option takes a key: every user of the computer can read the options of a process,
/// and the shell's history keeps them.
enum CommandKey {
  /// The environment variable with the key. `HOLDFAST_KEY_FD` names an open file descriptor instead, from which the key is read.
  static let variable = "HOLDFAST_KEY"
  /// The same for the key that `encrypt` and `rekey` write with.
  static let newVariable = "HOLDFAST_NEW_KEY"

  static let help = "The key is 32 bytes, as 64 hexadecimal digits or in Base64"

  /// The key of the store; nil where none is given. Read once, because a descriptor can be read only once.
  static let present = Result { try key(in: variable) }
  static let new = Result { try key(in: newVariable) }

  private static func key(in variable: String) throws -> StoreKey? {
    let environment = ProcessInfo.processInfo.environment
    let (text, source): (String, String)
    if let number = environment[variable + "_FD"] {
      guard let descriptor = Int32(number), descriptor >= 0, let read = content(of: descriptor) else {
        throw ValidationError("\(variable)_FD is \"\(number)\", which is no file descriptor that can be read.")
      }
      (text, source) = (read, "descriptor \(number), which \(variable)_FD names,")
    } else if let given = environment[variable] {
      // Set, and empty: a command that was to give it has failed. Without a key, a new store would be plain.
      (text, source) = (given, variable)
    } else {
      return nil
    }
    // Without the text.
    guard let key = try? StoreKey(text: text) else { throw ValidationError("\(source) does not hold a key. \(help).") }
    return key
  }

  /// At most 4 KB: no key is longer. Nil where it cannot be read.
  static func content(of descriptor: Int32) -> String? {
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
    while bytes.count < buffer.count {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Keeps a crash from writing the memory, and so a key, to a file.
  static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
  }
}
