internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer

/// A token with two dots is a JSON Web Token, and `verify` in the options is asked. All others are the store's, and have no dot.
extension Serving {
  func answer(_ verb: SyncServer.Verb, _ body: Data, in space: String, token: String?, now: Int64) async -> SyncAnswer {
    guard let token, let verify = verifier(of: token) else { return await server.answer(verb, body, in: space, token: token, now: now) }
    do { return await server.answer(verb, body, in: space, by: try await verify(token, now), now: now) } catch {
      return unverified(error, now)
    }
  }

  func head(of space: String, token: String?, now: Int64) async -> SyncAnswer {
    guard let token, let verify = verifier(of: token) else { return await server.head(of: space, token: token, now: now) }
    do {
      if let refused = SyncAnswer.refusal(of: .pull, in: space, by: try await verify(token, now), now: now) { return refused }
    } catch {
      return unverified(error, now)
    }
    do {
      let found = try await server.space(space)
      return SyncAnswer(head: found.head, epoch: found.epoch, now: now)
    } catch let error as StoreError where error.code == .notFound {
      return SyncAnswer(error, now: now)
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }

  private func verifier(of token: String) -> (@Sendable (String, Int64) async throws -> SyncToken?)? {
    token.utf8.count { $0 == UInt8(ascii: ".") } == 2 ? options.verify : nil
  }

  /// 503: the device tries again later.
  private func unverified(_ error: any Error, _ now: Int64) -> SyncAnswer {
    SyncAnswer(error as? StoreError ?? StoreError(.busy, "the token cannot be verified now"), now: now)
  }
}
