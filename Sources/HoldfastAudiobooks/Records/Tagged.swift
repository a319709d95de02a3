import Holdfast

/// A value of one of several kinds, with the content of that kind.
///
/// Stored as the kind's name and a JSON object, and decoded on each access. A kind that this version does not know is kept word for word.
public struct Tagged<Kind: TaggedKind>: Sendable, Hashable {
  /// The kind's name, for example `baidu`.
  public internal(set) var type: String
  /// A JSON object: for a known kind its content with sorted keys, for an unknown kind the source's own text.
  public internal(set) var payload: String

  /// Stores a value of a known kind.
  public init(_ kind: Kind) {
    (type, payload) = kind.stored
  }

  init(type: String, payload: String) {
    self.type = type
    self.payload = payload
  }

  /// The kind with its content; the `unknown` case when the name is unknown or the content does not fit the kind.
  public var kind: Kind { Kind(type: type, payload: payload) }
}

/// The kinds that a `Tagged` value can be of.
public protocol TaggedKind: Sendable, Hashable {
  /// The names that this version knows.
  static var knownTypes: Set<String> { get }
  /// Decodes a stored value; an unknown kind or unfit content becomes the `unknown` case with its JSON.
  init(type: String, payload: String)
  /// The kind's name, and its content as a JSON object with sorted keys.
  var stored: (type: String, payload: String) { get }
}

/// The kinds of this library all decode from the members of a JSON object.
protocol MemberDecodable: TaggedKind {
  /// The kind with its content; nil for an unknown name, and for members that do not fit.
  static func known(_ type: String, _ members: [String: JSONValue]) -> Self?
  static func unknown(type: String, json: String) -> Self
}

extension MemberDecodable {
  /// Takes the stored text word for word, without a check.
  public init(type: String, payload: String) {
    self = [String: JSONValue](json: payload).flatMap { Self.known(type, $0) } ?? .unknown(type: type, json: payload)
  }
}
