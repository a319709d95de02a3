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

  init?(type: String, members: [String: JSONValue]) {
    switch type {
    case "baiduNetdisk":
      if let path = members.string("folderPath"), let scope = members.string("tokenScope") {
        self = .baiduNetdisk(folderPath: path, tokenScope: scope)
        return
      }
    case "local":
      if let text = members.string("directoryBookmark"), let bookmark = Data(base64Encoded: text) {
        self = .local(directoryBookmark: bookmark)
        return
      }
    case "external":
      if let description = members.string("description") {
        self = .external(description: description)
        return
      }
    case "ephemeralBaidu":
      if let path = members.string("ephemeralPath") {
        self = .ephemeralBaidu(path: path)
        return
      }
    default: break
    }
    return nil
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
