import Foundation

extension StoreKey {
  /// The environment variable with the key of a command or a server: `HOLDFAST_KEY`. No option takes a key: every user of the computer can
  /// read the options of a process, and the shell's history keeps them.
  public static let variableName = "HOLDFAST_KEY"

  /// The key in a variable of the environment: 32 bytes, as 64 hexadecimal digits or in Base64. A variable with `_FD` after the name gives
  /// the number of an open file descriptor instead, from which the key is read. Nil when neither is set.
  ///
  /// A descriptor can be read only once, so call this once.
  /// - Throws: `.invalidValue` for a text that is no key, also an empty one, and for a descriptor that cannot be read; the error does not
  ///   contain the key's text.
  public static func inEnvironment(_ environment: [String: String], variable: String = variableName) throws -> StoreKey? {
    let (text, source): (String, String)
    if let number = environment[variable + "_FD"] {
      guard let descriptor = Int32(number), descriptor >= 0, let read = content(of: descriptor) else {
        throw StoreError(.invalidValue, "\(variable)_FD is \"\(number)\", which is no file descriptor that can be read")
      }
      (text, source) = (read, "descriptor \(number), which \(variable)_FD names,")
    } else if let given = environment[variable] {
      // Set, and empty: a command that was to give it has failed. Without a key, a new store would be plain.
      (text, source) = (given, variable)
    } else {
      return nil
    }
    // Without the text.
    guard let key = try? StoreKey(text: text) else {
      throw StoreError(
        .invalidValue, "\(source) does not hold a key. The key is 32 bytes, as 64 hexadecimal digits or in Base64",
        suggestion: "Make one with `openssl rand -hex 32`, and keep it.")
    }
    return key
  }

  /// At most 4 KB: no key is longer. Nil where it cannot be read.
  package static func content(of descriptor: Int32) -> String? {
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

  /// Keeps a crash of this process from writing its memory, and so a key, to a file. For a program that takes a key from its environment.
  public static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // Platform: the limit of core dumps has a type of its own in Glibc.
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
  }
}
