import Foundation
public final class JSONDocument: Sendable { public init(_ b: [UInt8]) {}; public func bytes(_ r: Range<Int>) -> [UInt8] { [] } }
public enum JSONValue: Sendable, Equatable { case null, bool(Bool), integer(Int64), double(Double), string(String), array([JSONValue]), object([String: JSONValue])
 public func canonicalText() -> String { "{}" } }
public struct JSONScanner { public init(_ d: JSONDocument) {}; public mutating func value() throws -> JSONValue { .null }; public mutating func finish() throws {} }
public struct ImportSource { var url: URL; var sha256: String }
