import Foundation

/// Runs programs in Python, which other code is compared with.
enum Python {
  /// The numbers that `program` prints, which is called with the path of a file.
  ///
  /// - Throws: when it does not print `count` of them.
  static func numbers(_ count: Int, _ program: String, reading file: String) throws -> [Double] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program, file]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard process.terminationStatus == 0, numbers.count == count else { throw Failure("python3 could not read the file: \(output)") }
    return numbers
  }
}
