extension SeededGenerator {
  /// Makes a generator, and prints its seed, so that a failure can be repeated.
  package init(printing seed: UInt64, of test: String = #function) {
    print("seed of \(test): \(seed)")
    self.init(seed: seed)
  }
}
