internal import Holdfast

/// - Throws: `.verificationFailed` with the problem, unless `isKept`.
func expect(_ isKept: Bool, _ problem: @autoclosure () -> String) throws {
  if !isKept { throw StoreError(.verificationFailed, problem()) }
}

/// - Throws: `.verificationFailed` with both values when they differ.
func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
  guard found != wanted else { return }
  throw StoreError(.verificationFailed, "\(what): \(found), and should be \(wanted)")
}
