/// Random damage to the values of a JSON document.
extension Mutation {
  private static let values: [Node] = [
    .raw("null"), .raw("true"), .raw("false"), .raw("0"), .raw("-1"), .raw("3.5"), .raw("1e3"), .raw("1E-400"), .raw("1e308"),
    .raw("9223372036854775807"), .raw("9223372036854775808"), .raw("-9223372036854775808"), .raw("123456789012345678901234567890"),
    .raw("[]"), .raw("{}"), .raw("[[]]"), .raw("\"\\u0000\""), .raw("\"\\ud83d\\ude00\""),
    .string(""), .string("x"), .string("0001-01-01T00:00:00Z"), .string("9999-12-31T23:59:59Z"), .string("0000-00-00T00:00:00Z"),
    .string("2025-02-30T00:00:00Z"), .string("1500-03-01T00:00:00+00:00"), .string("0001-01-01T00:00:00+23:59"),
    .string("2025-11-05T11:41:22.123456789Z"), .string("1969-12-31T23:59:59.9995Z"), .string("2025-11-05T11:41:22+0530"),
    .string("2025-11-05 11:41:22"), .string("7C9E6679-7425-40DE-944B-AAAAAAAAAAA1"), .string("7c9e6679-7425-40de-944b-aaaaaaaaaaaa2"),
    .string("00000000-0000-0000-0000-000000000000"), .string("{7C9E6679-7425-40DE-944B-AAAAAAAAAAA1}"), .string("\u{FEFF}\u{202E}"),
    .object([("type", .string("solid"))]), .object([("type", .raw("7"))]), .object([("type", .string(""))]),
    .object([("type", .string("new")), ("type", .string("twice"))]),
    .object([("type", .string("deep")), ("a", .raw(String(repeating: "[", count: 60) + String(repeating: "]", count: 60)))]),
  ]
  /// Texts that are not JSON, so that an import refuses the whole source.
  private static let nonsense: [Node] = ["00", "-", "NaN", "1e309", "\"\\ud800\"", "\"\\x\"", "\"\t\"", "", "]", "'a'"].map(Node.raw)

  /// Damages some values of a document.
  ///
  /// - Parameter keys: the new names for members that are renamed.
  mutating func values(of document: inout Node, keys: [String]) {
    for _ in 0..<random.pick([0, 1, 1, 1, 2, 3, 8], otherwise: 1) {
      let number = Int.random(in: 0..<document.size, using: &random)
      var copy = self
      document.change(number) { copy.spoil(&$0, keys) }
      self = copy
    }
  }

  private mutating func spoil(_ node: inout Node, _ keys: [String]) {
    if random.chance(1, of: 80) {
      isCountable = false
      node = random.pick(Self.nonsense, otherwise: .raw(""))
      return
    }
    switch (node, Int.random(in: 0..<6, using: &random)) {
    case (.array(var elements), 0...4):
      spoil(list: &elements)
      node = .array(elements)
    case (.object(var members), 0...4):
      spoil(members: &members, keys)
      node = .object(members)
    default: node = random.pick(Self.values, otherwise: .raw("null"))
    }
  }

  private mutating func spoil(list: inout [Node]) {
    guard let chosen = list.indices.randomElement(using: &random) else {
      return list.append(random.pick(Self.values, otherwise: .raw("null")))
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: list.remove(at: chosen)
    case 1: list.append(list[chosen])
    case 2: list.insert(list[chosen], at: 0)
    case 3: list.shuffle(using: &random)
    default: list[chosen] = random.pick(Self.values, otherwise: .raw("null"))
    }
  }

  private mutating func spoil(members: inout [(key: String, value: Node)], _ keys: [String]) {
    let chosen = members.indices.randomElement(using: &random)
    switch (chosen, Int.random(in: 0..<6, using: &random)) {
    case (let chosen?, 0): members.remove(at: chosen)
    case (let chosen?, 1):
      members.append(members[chosen])
      isCountable = false
    case (let chosen?, 2):
      members[chosen].key = random.pick(keys, otherwise: "")
      isCountable = false
    case (_?, 3): members.shuffle(using: &random)
    case (let chosen?, 4): members[chosen].value = random.pick(Self.values, otherwise: .raw("null"))
    default:
      members.append((random.pick(keys, otherwise: ""), random.pick(Self.values, otherwise: .raw("null"))))
      isCountable = false
    }
  }
}
