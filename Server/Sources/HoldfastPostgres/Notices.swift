internal import CPostgres

/// The last warning that a connection got. Only the connection's queue uses it.
final class Notices: @unchecked Sendable {
  var warning: String?
}

/// libpq's callback, called within calls of libpq on the connection's queue.
///
/// Severity `V` is not translated. Notices below WARNING do not concern a commit.
func receiveNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
  guard let context, let result, let severity = PQresultErrorField(result, Int32(UnicodeScalar("V").value)) else { return }
  guard String(cString: severity) == "WARNING" else { return }
  Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().warning = PQresultErrorField(result, Int32(UnicodeScalar("M").value)).map {
    String(cString: $0)
  }
}

/// Calls `body` with C's form of the texts: an array of pointers that ends with a nil.
func withCStrings<T>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> T) -> T {
  func add(_ rest: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>?]) -> T {
    guard let first = rest.first else { return body(pointers + [nil]) }
    return first.withCString { add(rest.dropFirst(), pointers + [$0]) }
  }
  return add(texts[...], [])
}
