import Foundation

// What seals the archive of an encrypted store, without its function: SQLite cannot encrypt where the mutants run, so nothing reaches it.

public struct SymmetricKey: Sendable {
  public init(data: some Sequence<UInt8>) {}
}

public enum HKDF<Hash> {
  public static func deriveKey(inputKeyMaterial: SymmetricKey, info: some Sequence<UInt8>, outputByteCount: Int) -> SymmetricKey {
    inputKeyMaterial
  }
}

public enum AES {
  public enum GCM {
    public struct Unavailable: Error {}

    public struct SealedBox {
      public var combined: Data?
      public init(combined: Data) throws { throw Unavailable() }
    }

    public static func seal(_ body: Data, using key: SymmetricKey, authenticating data: Data) throws -> SealedBox { throw Unavailable() }
    public static func open(_ box: SealedBox, using key: SymmetricKey, authenticating data: Data) throws -> Data { throw Unavailable() }
  }
}
