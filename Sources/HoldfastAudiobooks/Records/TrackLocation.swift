public import Foundation
import Holdfast

/// Where the audio of a track is.
public enum TrackLocation: MemberDecodable {
  /// A file on the device, by a security-scoped bookmark.
  case local(bookmark: Data)
  /// A file in Baidu's cloud storage.
  case baidu(fsID: Int64, path: String)
  /// An absolute URL.
  case external(url: String)
  /// A kind that this version does not know, with its JSON word for word.
  case unknown(type: String, json: String)

  static func known(_ type: String, _ members: [String: JSONValue]) -> Self? {
    switch type {
    case "local": members.string("urlBookmark").flatMap { Data(base64Encoded: $0) }.map { .local(bookmark: $0) }
    case "baidu":
      if case .integer(let fsID)? = members["fsId"], let path = members.string("path") { .baidu(fsID: fsID, path: path) } else { nil }
    case "external": members.string("url").map { .external(url: $0) }
    default: nil
    }
  }

  /// The name of the kind, and its content as JSON with sorted keys; an unknown kind as it came.
  public var stored: (type: String, payload: String) {
    switch self {
    case .local(let bookmark): ("local", JSONValue.object(["urlBookmark": .string(bookmark.base64EncodedString())]).canonicalText())
    case .baidu(let fsID, let path): ("baidu", JSONValue.object(["fsId": .integer(fsID), "path": .string(path)]).canonicalText())
    case .external(let url): ("external", JSONValue.object(["url": .string(url)]).canonicalText())
    case .unknown(let type, let json): (type, json)
    }
  }

  /// The names that `init(type:payload:)` knows.
  public static let knownTypes: Set<String> = ["local", "baidu", "external"]
}
