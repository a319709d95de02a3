public final class JSONDocument: Sendable { public func bytes(_ r: Range<Int>) -> [UInt8] { [] } }
public enum JSONValue: Sendable, Equatable { case null, bool(Bool), integer(Int64), double(Double), string(String), array([JSONValue]), object([String: JSONValue])
 public func canonicalText() -> String { "" } }
public struct ImportSource { var url: URL; var sha256: String }
import Foundation
