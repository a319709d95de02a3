package import Holdfast

/// The code of the `StoreError` that `body` throws; nil when it throws another error, or none.
package func code(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}

/// The same of a body that awaits.
package func asyncCode(_ body: () async throws -> Void) async -> StoreError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}
