/// Random damage to the elements and texts of an XML document.
extension Mutation {
  private static let values = [
    "", " ", "x", "0", "-1", "100", "101", "101.5", "1e3", "NaN", "0x1F", " 7 ", "true", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "4294967296", "3786912000", "-508055296", "281474976710657", "2024-05-01T10:00:00Z", "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "2024-02-30T00:00:00Z", "2024-05-01T10:00:00.1239Z", "2024-05-01 10:00:00", "4E2A6B9C0D1F0001",
    "4e2a6b9c0d1f0002", "4E2A6B9C0D1F", "file:///Music/1.mp3", "file:///Music/%FF%00.mp3", "file://localhost/C:/Music/1.mp3", "//", "/",
    "..", "../../../1.mp3", "C:\\Music\\1.mp3", "\\\\server\\share\\1.mp3", "http://radio.example/%zz?a=1&b=2#c", "%", "a:b", ":",
    "\u{FEFF}\u{202E}", "e\u{301}", "\u{1F600}", "\u{85}\u{2028}", "a\r\nb\tc", "]]>", "<b>&amp;</b>", "Zm9v",
    String(repeating: "long ", count: 900),
  ]
  private static let raw = [
    "<!-- a -- b -->", "<!-- fine -->", "<![CDATA[<a>&b;]]>", "<?php echo ?>", "&#0;", "&#xD800;", "&#65;", "&amp;", "&bogus;", "<", ">",
    "&", "</dict>", "<a/>", "]]>", "\u{1}", "\u{FFFE}", "<!DOCTYPE a>", "<!ENTITY a \"b\">", "<x:y xmlns:x=\"z\"/>", "<a b=\"1\" b=\"2\"/>",
    "<a b=c/>", "text", String(repeating: "<a>", count: 210) + String(repeating: "</a>", count: 210),
  ]

  /// Damages some nodes of a document.
  ///
  /// - Parameter names: the new names for elements that are renamed.
  /// - Returns: whether any damage was tried.
  mutating func nodes(of document: inout Markup, names: [String], texts: [String] = []) -> Bool {
    let times = random.pick([0, 1, 1, 1, 2, 3, 8], otherwise: 1)
    for _ in 0..<times {
      let number = Int.random(in: 0..<document.size, using: &random)
      var copy = self
      document.change(number) { copy.spoil(&$0, names, texts) }
      self = copy
    }
    return times > 0
  }

  private mutating func spoil(_ node: inout Markup, _ names: [String], _ texts: [String]) {
    // Text that is not XML makes an import refuse the whole source. A few such cases are enough.
    if random.chance(1, of: 40) {
      isCountable = false
      node = .raw(random.pick(Self.raw, otherwise: ""))
      return
    }
    guard case .element(let name, var attributes, var children) = node, !random.chance(1, of: 12) else {
      node = .text(random.pick(random.chance(1, of: 3) && !texts.isEmpty ? texts : Self.values, otherwise: ""))
      return
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: node = .element(random.pick(names, otherwise: name), attributes, children)
    case 1: node = .element(random.pick(names, otherwise: name), [], [node])
    case 2:
      attributes.append((random.pick(["xml:base", "rel", "version", "xmlns"], otherwise: ""), random.pick(Self.values, otherwise: "")))
      node = .element(name, attributes, children)
      isCountable = isCountable && Set(attributes.map(\.name)).count == attributes.count
    case 3: node = .element(name, attributes, [.text(random.pick(Self.values, otherwise: ""))])
    default:
      spoil(children: &children, names)
      node = .element(name, attributes, children)
    }
  }

  private mutating func spoil(children: inout [Markup], _ names: [String]) {
    guard let chosen = children.indices.randomElement(using: &random), let other = children.indices.randomElement(using: &random) else {
      return children.append(.element(random.pick(names, otherwise: "a")))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: children.remove(at: chosen)
    case 1: children.insert(children[chosen], at: other)
    case 2: children.swapAt(chosen, other)
    case 3: children.append(children[chosen])
    case 4: children.shuffle(using: &random)
    case 5:
      // A key with its value.
      let pair = children[chosen..<min(children.count, chosen + 2)]
      if random.chance(1, of: 2) { children.removeSubrange(pair.indices) } else { children.append(contentsOf: pair) }
    case 6: children.insert(.element(random.pick(names, otherwise: "a"), random.pick(Self.values, otherwise: "")), at: other)
    default: children[chosen] = .element(random.pick(names, otherwise: "a"), random.pick(Self.values, otherwise: ""))
    }
  }
}
