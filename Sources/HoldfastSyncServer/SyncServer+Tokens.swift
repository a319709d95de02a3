public import Foundation
public import Holdfast

/// A token of a space, as a list shows it: the token itself was shown once, when it was made.
public struct SyncToken: Sendable, Hashable {
  /// What a token may do in its space.
  public enum Role: String, Sendable, Codable, CaseIterable {
    /// Pull only.
    case reads
    /// Pull and push.
    case writes
  }

  /// Its name among all tokens of the server, such as `annas-phone`.
  public let name: String
  /// The space that it opens.
  public let space: String
  /// What it may do.
  public let role: Role
  /// When it was made, by the store's clock.
  public let createdAt: Date

  /// A token that the program around the server has verified itself; see `answer(_:_:in:by:now:)`.
  public init(name: String, space: String, role: Role, createdAt: Date) {
    (self.name, self.space, self.role, self.createdAt) = (name, space, role, createdAt)
  }
}

/// All that a store has of a token: a row of `sync_token`.
public struct StoredToken: StoredRecord, Codable, Hashable {
  /// `sync_token`.
  public static let table = "sync_token"
  /// The hash.
  public static let key = ["hash"]

  /// The SHA-256 of the token, in lowercase hexadecimal.
  public let hash: String
  /// Its name among all tokens of the server.
  public let name: String
  /// The space that it opens.
  public let space: String
  /// What it may do.
  public let role: SyncToken.Role
  /// When it was made.
  public let createdAt: Date

  /// A token as a store has it.
  public init(hash: String, name: String, space: String, role: SyncToken.Role, createdAt: Date) {
    (self.hash, self.name, self.space, self.role, self.createdAt) = (hash, name, space, role, createdAt)
  }

  /// The token without its hash.
  public var shown: SyncToken { SyncToken(name: name, space: space, role: role, createdAt: createdAt) }

  /// The hash of a token's text.
  public static func hash(of token: String) -> String { SHA256Hex.of(Data(token.utf8)) }

  static func find(_ token: String, _ reader: Reader) throws -> StoredToken? {
    try reader.first(StoredToken.self, "WHERE hash = \(hash(of: token))")
  }

  /// Those of a space, by name.
  static func all(of space: String, _ reader: Reader) throws -> [StoredToken] {
    try reader.all(StoredToken.self, "WHERE space = \(space) ORDER BY name")
  }
}

extension StoredToken {
  /// A new token, and its text: 32 random bytes as 64 hexadecimal digits.
  ///
  /// - Parameters:
  ///   - name: nil for the space's name with a number.
  ///   - names: those of all tokens.
  /// - Throws: `.constraint` when a token has this name; `.invalidValue` for the name.
  public static func make(
    for space: String, _ role: SyncToken.Role, name: String?, beside names: Set<String>, at date: Date
  ) throws -> (token: StoredToken, text: String) {
    if let name { try SyncServer.checkName(name) }
    let text = SHA256Hex.hex((0..<32).map { _ in UInt8.random(in: 0...255) })
    let free = name ?? (1...names.count + 1).map { "\(space)-\($0)" }.first { !names.contains($0) } ?? space
    guard !names.contains(free) else { throw taken(free) }
    return (StoredToken(hash: hash(of: text), name: free, space: space, role: role, createdAt: date), text)
  }

  /// The error for a name that a token has: `.constraint`.
  public static func taken(_ name: String) -> StoreError {
    StoreError(.constraint, "there is a token of the name \(name)", suggestion: "Choose another name, or revoke that token.")
  }
}

extension SyncServer {
  /// Makes a token, and returns it: 32 random bytes as 64 hexadecimal digits. Only its SHA-256 is stored, so it cannot be shown again.
  ///
  /// - Parameters:
  ///   - space: the space that it opens.
  ///   - name: its name in lists, as of `makeSpace(_:)`. Nil: the space's name with a number.
  /// - Throws: `.notFound` without such a space; `.constraint` when a token has this name; `.invalidValue` for the name; the errors of a
  ///   write.
  public func makeToken(for space: String, _ role: SyncToken.Role = .writes, name: String? = nil) throws -> String {
    if let name { try Self.checkName(name) }
    return try store.write { tx in
      _ = try StoredSpace.find(space, tx)
      let names = Set(try tx.all(StoredToken.self).map(\.name))
      let (token, text) = try StoredToken.make(for: space, role, name: name, beside: names, at: tx.currentDate())
      try tx.insert(token)
      return text
    }
  }

  /// The tokens of all spaces, by name.
  ///
  /// - Throws: the errors of a read.
  public func tokens() throws -> [SyncToken] {
    try store.read { reader in
      try reader.all(StoredToken.self, "ORDER BY name").map(\.shown)
    }
  }

  /// Revokes a token: each request with it that arrives from now on is refused, in every process.
  ///
  /// - Throws: `.notFound` when no token has this name; the errors of a write.
  public func revokeToken(named name: String) throws {
    try store.write { tx in
      guard try tx.execute("DELETE FROM sync_token WHERE name = \(name)") > 0 else {
        throw StoreError(.notFound, "there is no token of the name \(name)")
      }
    }
  }
}
