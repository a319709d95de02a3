public import Foundation
import Holdfast

/// Where a collection comes from.
public enum CollectionSource: MemberDecodable {
  /// A folder in Baidu's cloud storage.
  case baiduNetdisk(folderPath: String, tokenScope: String)
  /// A folder on the device, by a security-scoped bookmark.
  case local(directoryBookmark: Data)
  /// Another source, described for people.
  case external(description: String)
  /// A collection made for one session from a folder in Baidu's cloud storage.
  case ephemeralBaidu(path: String)
  /// A kind that this version does not know, with its JSON word for word.
  case unknown(type: String, json: String)

  static func known(_ type: String, _ members: [String: JSONValue]) -> Self? {
    switch type {
    case "baiduNetdisk":
      if let path = members.string("folderPath"), let scope = members.string("tokenScope") {
        .baiduNetdisk(folderPath: path, tokenScope: scope)
      } else {
        nil
      }
    case "local": members.string("directoryBookmark").flatMap { Data(base64Encoded: $0) }.map { .local(directoryBookmark: $0) }
    case "external": members.string("description").map { .external(description: $0) }
    case "ephemeralBaidu": members.string("ephemeralPath").map { .ephemeralBaidu(path: $0) }
    default: nil
    }
  }

  /// The name of the kind, and its content as JSON with sorted keys; an unknown kind as it came.
  public var stored: (type: String, payload: String) {
    switch self {
    case .baiduNetdisk(let path, let scope):
      ("baiduNetdisk", JSONValue.object(["folderPath": .string(path), "tokenScope": .string(scope)]).canonicalText())
    case .local(let bookmark):
      ("local", JSONValue.object(["directoryBookmark": .string(bookmark.base64EncodedString())]).canonicalText())
    case .external(let description): ("external", JSONValue.object(["description": .string(description)]).canonicalText())
    case .ephemeralBaidu(let path): ("ephemeralBaidu", JSONValue.object(["ephemeralPath": .string(path)]).canonicalText())
    case .unknown(let type, let json): (type, json)
    }
  }

  /// The names of the kinds of this version.
  public static let knownTypes: Set<String> = ["baiduNetdisk", "local", "external", "ephemeralBaidu"]
}
