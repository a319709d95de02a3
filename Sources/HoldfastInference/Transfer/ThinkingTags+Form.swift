import Holdfast
import HoldfastTransfer

// The SDK has two texts for the store's one pair of tags.

extension ValueForm<ThinkingTags> {
  /// An object of two texts, made from two members by `SourceMembers.pair`.
  static var thinkingTags: ValueForm {
    ValueForm("a text before a model's thinking and one behind it") { tags in
      .object(["open": .string(tags.open), "close": .string(tags.close)])
    } read: { json in
      guard case .object(let members) = json, let open = members.string("open"), let close = members.string("close") else { return nil }
      return Written(value: ThinkingTags(open: open, close: close), text: json)
    }
  }
}

extension SourceMembers {
  /// Joins two texts into one value; does nothing when both are missing.
  mutating func pair(_ open: String, _ close: String, as name: String) {
    let (first, second) = (remove(open), remove(close))
    guard first != .null || second != .null else { return }
    set(name, .object(["open": first, "close": second]))
  }
}
