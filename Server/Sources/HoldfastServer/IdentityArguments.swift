internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastIdentity
internal import Logging

struct IdentityArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Also takes JSON Web Tokens that a key of this set has signed. An address is https.", valueName: "file|url"))
  var jwks: String?

  @Option(help: ArgumentHelp("This server's name at the provider: a token's aud must have it. Needed with --jwks.", valueName: "name"))
  var jwtAudience: String?

  @Option(help: ArgumentHelp("The provider's name: a token's iss must be it. Needed with --jwks.", valueName: "url"))
  var jwtIssuer: String?

  @Option(help: ArgumentHelp("The claim that is the name of the space which the token opens, such as sub.", valueName: "name"))
  var jwtSpaceClaim = "space"

  @Option(help: ArgumentHelp("The claim with roles. A token with the word writes in it may push; others only pull.", valueName: "name"))
  var jwtRoleClaim = "role"

  /// Nil without `--jwks`.
  ///
  /// - Throws: `Failure`; `StoreError` for a file that is no key set.
  func provider(_ logger: Logger) async throws -> IdentityProvider? {
    let others: [String?] = [jwks, jwtAudience, jwtIssuer]
    if others.allSatisfy({ $0 == nil }) { return nil }
    guard let jwks, let jwtAudience, let jwtIssuer else {
      throw Failure(
        "--jwks, --jwt-audience and --jwt-issuer need each other",
        suggestion: "Give all three: without the others, a token that the provider made for another service would open a space.", status: 64
      )
    }
    let source: KeySource
    do { source = try KeySource(jwks) } catch let error as StoreError {
      throw Failure(error.message, suggestion: "Give a file, or an address with https.", status: 64)
    }
    let keys = KeySet(source, logger)
    try await keys.begin(now: Int64(Date().timeIntervalSince1970 * 1_000))
    return IdentityProvider(keys, audience: jwtAudience, issuer: jwtIssuer, spaceClaim: jwtSpaceClaim, roleClaim: jwtRoleClaim)
  }
}
