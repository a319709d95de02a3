extension SeededGenerator {
  /// Prints its seed, by which a failure can be repeated.
  package init(printing seed: UInt64, of test: String = #function) {
    print("seed of \(test): \(seed)")
    self.init(seed: seed)
  }
}
