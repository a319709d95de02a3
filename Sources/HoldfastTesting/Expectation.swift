internal import Holdfast

/// - Throws: `.verificationFailed` with both values when they differ.
func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
  guard found != wanted else { return }
  throw StoreError(.verificationFailed, "\(what): \(found), and should be \(wanted)")
}
