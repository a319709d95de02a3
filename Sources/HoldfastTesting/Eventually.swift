/// Waits until `condition` holds. False when it does not hold within `limit`, so that a test fails instead of never ending.
///
/// Other tasks run between two looks. The limit bounds only a test that fails; one that passes ends as soon as the condition holds. It
/// is long, because in a parallel run each look may wait for a hundred other tests.
///
/// ```swift
/// #expect(await eventually { live.value == 1 })
/// ```
package func eventually(
  within limit: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
  let end = ContinuousClock.now + limit
  var looks = 0
  while !condition() {
    looks += 1
    // Beside thousands of other tests the time may be over after one look.
    guard ContinuousClock.now < end || looks < 10 else { return false }
    await Task.yield()
  }
  return true
}
