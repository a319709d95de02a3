extension Sequence {
  /// `map` with a body that awaits: one element after the other.
  package func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var mapped: [T] = []
    for element in self { mapped.append(try await body(element)) }
    return mapped
  }
}
