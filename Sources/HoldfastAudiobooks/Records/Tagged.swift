import Holdfast

/// One of several kinds of a thing, with what that kind carries.
///
/// Stored as the kind's name and a JSON object, and decoded only when asked for. A kind that this version does not know
/// survives word for word.
public struct Tagged<Kind: TaggedKind>: Sendable, Hashable {
  /// The kind's name, for example `baidu`.
  public internal(set) var type: String
  /// A JSON object: of a known kind what it carries, with sorted keys; of an unknown kind the source's own text.
  public internal(set) var payload: String

  /// Takes a value, to be stored in its own form.
  public init(_ kind: Kind) {
    (type, payload) = kind.stored
  }

  init(type: String, payload: String) {
    self.type = type
    self.payload = payload
  }

  /// The kind with its content; its `unknown` case when the name is unknown or the content is not what it should be.
  public var kind: Kind { Kind(type: type, payload: payload) }
}

/// The kinds that a `Tagged` value can be of.
public protocol TaggedKind: Sendable, Hashable {
  /// The names that this version knows.
  static var knownTypes: Set<String> { get }
  /// Decodes what is stored; a kind or content that is not known becomes the `unknown` case with its JSON.
  init(type: String, payload: String)
  /// The kind's name, and what it carries as a JSON object with sorted keys.
  var stored: (type: String, payload: String) { get }
}

/// What the three kinds of this library share: they decode from a JSON object's members.
protocol MemberDecodable: TaggedKind {
  init?(type: String, members: [String: JSONValue])
  static func unknown(type: String, json: String) -> Self
}

extension MemberDecodable {
  /// Takes what is stored, word for word; it is not checked here.
  public init(type: String, payload: String) {
    self = [String: JSONValue](json: payload).flatMap { Self(type: type, members: $0) } ?? .unknown(type: type, json: payload)
  }
}
