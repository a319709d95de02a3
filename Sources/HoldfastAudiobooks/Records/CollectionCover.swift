import Holdfast

/// What a collection looks like on the shelf.
public struct CollectionCover: Sendable, Hashable {
  /// The kinds of cover.
  public enum Kind: MemberDecodable {
    /// One colour, `#RRGGBB`.
    case solid(colorHex: String)
    /// An image inside the app's own folder.
    case image(relativePath: String)
    case remote(url: String)
    /// A kind that this version does not know, with its JSON word for word.
    case unknown(type: String, json: String)
  }

  /// The image or colour itself.
  public var image: Tagged<Kind>
  /// The cover's main colour as `#RRGGBB`; nil if the app did not compute it.
  public var dominantColorHex: String?

  /// The app's default cover: one blue.
  public static let standard = CollectionCover(.solid(colorHex: "#5B8DEF"))
}

extension CollectionCover {
  /// A cover of a known kind.
  public init(_ kind: Kind, dominantColorHex: String? = nil) { self.init(image: Tagged(kind), dominantColorHex: dominantColorHex) }
}

extension CollectionCover.Kind {
  static func known(_ type: String, _ members: [String: JSONValue]) -> Self? {
    switch type {
    case "solid": members.string("colorHex").map { .solid(colorHex: $0) }
    case "image": members.string("relativePath").map { .image(relativePath: $0) }
    case "remote": members.string("url").map { .remote(url: $0) }
    default: nil
    }
  }

  /// The name of the kind, and its content as JSON with sorted keys; an unknown kind as it came.
  public var stored: (type: String, payload: String) {
    switch self {
    case .solid(let color): ("solid", JSONValue.object(["colorHex": .string(color)]).canonicalText())
    case .image(let path): ("image", JSONValue.object(["relativePath": .string(path)]).canonicalText())
    case .remote(let url): ("remote", JSONValue.object(["url": .string(url)]).canonicalText())
    case .unknown(let type, let json): (type, json)
    }
  }

  /// The names of the kinds of this version.
  public static let knownTypes: Set<String> = ["solid", "image", "remote"]
}
