import CSystemCalls
import Foundation
import HoldfastTesting

/// What `body` asked of the file system, a line each, with the names relative to `folder`, and what it threw.
///
/// - Parameter failing: the flush that fails, counted from 1; 0: none.
func systemCalls(in folder: TemporaryFolder, failing: Int32 = 0, _ body: () throws -> Void) -> (lines: [String], error: (any Error)?) {
  calls_begin(failing)
  var failure: (any Error)?
  do { try body() } catch { failure = error }
  let text = String(cString: calls_end())
  let lines = text.replacingOccurrences(of: folder.url.path + "/", with: "").replacingOccurrences(of: folder.url.path, with: ".")
    // The identifier of a folder under way.
    .replacingOccurrences(of: "-[0-9A-F]{8}-[0-9A-F-]{27}", with: "", options: .regularExpression)
  return (lines.split(separator: "\n").map(String.init), failure)
}
