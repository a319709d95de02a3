import Holdfast

extension StoreOptions {
  /// These options with a change: `.testing.with { $0.opensReadOnly = true }`.
  func with(_ change: (inout StoreOptions) -> Void) -> StoreOptions {
    var options = self
    change(&options)
    return options
  }
}
