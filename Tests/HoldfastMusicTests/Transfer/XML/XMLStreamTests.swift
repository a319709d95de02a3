import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastMusic

@Suite("XML as it streams by") struct XMLStreamTests {
  /// A file that goes away with the value.
  private struct XMLFile {
    let folder: TemporaryFolder
    let source: ImportSource

    init(_ bytes: Data) throws {
      folder = try TemporaryFolder()
      try bytes.write(to: folder.file("a.xml"))
      source = try ImportSource(folder.file("a.xml"))
    }

    func xml(_ body: (XMLEvent, XMLReading) throws -> Void) throws {
      try withExtendedLifetime(folder) { _ = try source.xml(body) }
    }
  }

  private func events(_ text: String) throws -> [String] {
    let file = try XMLFile(Data(text.utf8))
    var events: [String] = []
    try file.xml { event, place in
      switch event {
      case .start(let name, let attributes):
        events.append("<\(name)\(attributes.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined())> \(place.line)")
      case .end(let name): events.append("</\(name)>")
      case .text(let text): events.append(text)
      }
    }
    return events
  }

  private func failure(_ text: String) throws -> StoreError {
    try #require(#expect(throws: StoreError.self) { _ = try events(text) })
  }

  @Test("tags, attributes and whole texts come in their order, without comments")
  func order() throws {
    let text = "\u{FEFF}<?xml version=\"1.0\"?>\r\n<a x=\"1&#38;2\">\r\n<b/>é &lt;<![CDATA[<c>]]>&#x4E09;<!-- d --> e</a>\n"
    #expect(try events(text) == ["<a x=1&2> 2", "\n", "<b> 3", "</b>", "é <<c>三 e", "</a>"])
  }

  @Test("a text of any length comes in one piece")
  func longText() throws {
    let long = String(repeating: "0123456789é", count: 30_000)
    #expect(try events("<a>\(long)</a>") == ["<a> 1", long, "</a>"])
  }

  @Test("what the body throws ends the reading and is thrown on")
  func bodyThrows() throws {
    struct Enough: Error {}
    let file = try XMLFile(Data(("<a>" + String(repeating: "<b/>", count: 100_000) + "</a>").utf8))
    var count = 0
    #expect(throws: Enough.self) {
      try file.xml { _, _ in
        count += 1
        if count == 3 { throw Enough() }
      }
    }
    #expect(count == 3)
  }

  @Test("a file that changed since it was hashed is found, also behind the end of the document")
  func changed() throws {
    let file = try XMLFile(Data("<a>1</a>".utf8))
    _ = try file.source.sha256
    for text in ["<a>2</a>", "<a>1</a>\n"] {
      try Data(text.utf8).write(to: file.folder.file("a.xml"))
      #expect(code { try file.xml { _, _ in } } == .verificationFailed)
    }
  }

  @Test(
    "what is not XML is refused with its place",
    arguments: [
      ("", "the XML ends at byte 0, before anything begins"), ("<a><b>", "the XML ends at byte 6, in the middle of <b>"),
      ("<a>\n</b>", "at line 2, column 5: an end tag does not match <a>"), ("<a/><b/>", "the document has content after its end"),
      (#"{"a": 1}"#, "at line 1, column 1: no element begins there"), ("<a><![CDATA[b\u{FFFE}c]]></a>", "a character is not allowed there"),
      ("<a><!-- b\u{FFFE} <c>d</c> --></a>", "a character is not allowed there"),
      ("<a>&b;</a>", "an entity is not declared"),
      ("<?xml version=\"1.0\" encoding=\"x-none\"?><a/>", "the encoding that it declares is not known"),
    ])
  func malformed(text: String, message: String) throws {
    let error = try failure(text)
    #expect(error.code == .invalidSource)
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test(
    "names, attributes and texts that are no UTF-8 are refused with the byte, and never reach the parser",
    arguments: [
      ("<pli\u{1} a=\"b\"/>", 4), ("<a pl\u{1}=\"\"/>", 5), ("<a b=\"\u{1}\"/>", 6), ("<a>\u{1}</a>", 3), ("<a><!--\u{1}--></a>", 7),
      ("\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?><a\u{1}/>", 44),
      ("<a>" + String(repeating: "三", count: 100_000) + "<b\u{1}/></a>", 300_005),
    ])
  func notUTF8(text: String, offset: Int) throws {
    // Not a character, too long for its character, half of a pair, beyond the last character, cut off.
    for bad: [UInt8] in [[0xF5], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4, 0xB8]] {
      let bytes = text.utf8.flatMap { $0 == 1 ? bad : [$0] }
      let file = try XMLFile(Data(bytes))
      let error = #expect(throws: StoreError.self) { try file.xml { _, _ in } }
      #expect(error?.code == .invalidSource)
      // What has a second byte that does not fit it is noticed there.
      #expect(error?.offset.map { (offset...offset + 2).contains($0) } == true, "\(error?.message ?? "")")
    }
  }

  @Test(
    "a declaration that the parser makes nothing of does not let other bytes through to it",
    arguments: [
      "<?xml version=\"1.0\" encoding\u{1}\"UTF-8\"?>", "<?xml version=\"1.0\" encoding=\"x-none\"?>",
      "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<?xml version=\"1.0' encoding=\"ISO-8859-1\"?>",
      "<?xml version=\"encoding='ISO-8859-1'\"?>", "<?xml encoding=\"ISO-8859-1\"?>", "<?xml version=\"1.0\" encoding=\"HTML\"?>",
      " <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "<?x\u{0}", "\u{0}", "<\u{0}",
    ])
  func brokenDeclarations(declaration: String) throws {
    let bytes = "\(declaration)<pl\u{1} \u{1}=\"\u{1}\">\u{1}</a>".utf8.map { $0 == 1 ? 0xF5 : $0 }
    let file = try XMLFile(Data(bytes))
    #expect(code { try file.xml { _, _ in } } == .invalidSource)
  }

  @Test("bytes that are not in the declared encoding are told as that, and not as the end of the file")
  func otherEncoding() throws {
    let start = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>"
    let wide: [UInt8] = [0xFF, 0xFE] + start.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0, 0xD8, 0x62, 0]
    let latin: [UInt8] = Array("<?xml version=\"1.0\" encoding=\"windows-1252\"?><a>x".utf8) + [0x81] + Array("</a>".utf8)
    for bytes in [wide, latin] {
      let file = try XMLFile(Data(bytes))
      let error = #expect(throws: StoreError.self) { try file.xml { _, _ in } }
      #expect(error?.message.hasSuffix("its bytes are not in the encoding that it declares") == true, "\(error?.message ?? "")")
    }
  }

  @Test("encodings that the parser knows are read as they are declared", arguments: ["ISO-8859-1", "windows-1252", "iso-8859-15"])
  func declaredEncodings(name: String) throws {
    let bytes = "<?xml version='1.0'  encoding = '\(name)'?><a>\u{1}</a>".utf8.map { $0 == 1 ? 0xE9 : $0 }
    let file = try XMLFile(Data(bytes))
    var texts: [String] = []
    try file.xml { event, _ in if case .text(let text) = event { texts.append(text) } }
    #expect(texts == ["é"])
  }

  @Test(
    "a reading of a document in a wide encoding can be ended anywhere", arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
  func endedWide(encoding: String.Encoding) throws {
    struct Enough: Error {}
    let text = "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>" + String(repeating: "<b>三</b>", count: 3_000) + "</a>"
    for damage in ["", "&none;", "<b c=d/>", "</c>", "<![CDATA[\u{FFFE}]]>"] {
      let whole = text.replacingOccurrences(of: "</a>", with: "\(damage)<b/></a>")
      let file = try XMLFile(#require(whole.data(using: encoding)))
      for last in [1, 2, 300, 8_999] {
        var count = 0
        #expect(throws: Enough.self) {
          try file.xml { _, _ in
            count += 1
            if count == last { throw Enough() }
          }
        }
        #expect(count == last)
      }
      if damage.isEmpty { try file.xml { _, _ in } } else { #expect(throws: StoreError.self) { try file.xml { _, _ in } } }
    }
  }

  @Test("damage in the middle is told as damage, and not as a file that is cut off")
  func damageInside() throws {
    #expect(try failure("<a><b c=d/>" + String(repeating: "<e/>", count: 10_000) + "</a>").message.contains("at line 1, column"))
  }

  @Test(
    "entities are refused, whatever they would do",
    arguments: [
      "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;&b;&b;&b;&b;\">]><a>&d;</a>",
      "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
      "<!DOCTYPE a [<!ENTITY % b SYSTEM \"http://example.com/b.dtd\"> %b;]><a/>",
    ])
  func entities(text: String) throws {
    #expect(try failure(text).message == "the XML declares entities, which are not read")
    let wide = try XMLFile(#require(text.data(using: .utf16)))
    #expect(throws: StoreError.self) { try wide.xml { _, _ in } }
  }

  @Test("a declaration that names a file elsewhere is read without it")
  func externalDeclaration() throws {
    #expect(try events("<!DOCTYPE a SYSTEM \"file:///nothing.dtd\"><a>b</a>") == ["<a> 1", "b", "</a>"])
  }

  @Test("elements that are too deep in each other, tags with too many attributes and endless texts are refused as they stream by")
  func hostile() throws {
    let deep = try failure(String(repeating: "<a>", count: 10_000))
    #expect(deep.message.hasSuffix("elements stand more than 200 deep in each other"))
    for (count, words) in [(5_000, "a tag with more than 4096 attributes"), (200_000, "one tag has more than 65536 bytes")] {
      let tag = "<a " + (0..<count).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>"
      #expect(try failure(tag).message.hasSuffix(words))
      let wide = try XMLFile(#require(tag.data(using: .utf16)))
      let error = #expect(throws: StoreError.self) { try wide.xml { _, _ in } }
      #expect(error?.message.hasSuffix(words) == true)
    }
    let long = try failure("<a>" + String(repeating: "x", count: 16_800_000) + "</a>")
    #expect(long.message.hasSuffix("one text has more than 16777216 bytes"))
    for tag in ["<a b=\"%\"/>", "<a><!--%--></a>", "<?a %?><a/>"] {
      let long = try failure(tag.replacingOccurrences(of: "%", with: String(repeating: "x", count: 200_000)))
      #expect(long.message.hasSuffix("one tag has more than 65536 bytes"), "\(long.message)")
    }
  }

  @Test(
    "equals signs that are no attributes count nowhere",
    arguments: [
      "<a>%</a>", "<a><!-- <b % don't --></a>", "<!--%--><a/>", "<a><![CDATA[<b %]]></a>", "<a b='%'/>", "<?p %?><a/>",
      "<!DOCTYPE a SYSTEM \"%\"><a/>",
    ])
  func equalsSigns(text: String) throws {
    #expect(throws: Never.self) { try events(text.replacingOccurrences(of: "%", with: String(repeating: "=", count: 5_000))) }
  }

  @Test("a character that XML forbids is left out and counted with its line: as a byte, as a number, half of a pair, in an attribute")
  func leftOut() throws {
    let text = "<a>\n<b>1\u{1}2</b>\n<b>\u{0}3&#2;4</b><b>&#xD83D;&#xDE0E;5\u{FFFE}</b>\n<b c='6\u{1F}7&#8;'/></a>"
    for encoding in [String.Encoding.utf8, .utf16] {
      // A zero is no character of a wide encoding's document: it ends it.
      let text = encoding == .utf8 ? text : text.replacingOccurrences(of: "\u{0}", with: "").replacingOccurrences(of: "\u{1F}", with: "")
      let file = try XMLFile(#require(text.data(using: encoding)))
      var found: [String] = []
      try file.xml { event, place in
        switch event {
        case .text(let text) where text != "\n": found.append("\(text) \(place.leftOut) line \(place.leftOutLine)")
        case .start(_, let attributes) where !attributes.isEmpty: found.append("\(attributes) \(place.leftOut) line \(place.leftOutLine)")
        default: break
        }
      }
      #expect(
        found
          == (encoding == .utf8
            ? ["12 1 line 2", "34 3 line 3", "5 6 line 3", "[\"c\": \"67\"] 8 line 4"]
            : ["12 1 line 2", "34 2 line 3", "5 5 line 3", "[\"c\": \"67\"] 6 line 4"]))
    }
  }

  @Test("the line of a character that is left out is its own, also in a text of several lines")
  func leftOutLine() throws {
    let file = try XMLFile(Data("<a>\n<s>one\ntwo\nthree\u{1}\nfour</s></a>".utf8))
    var line = 0
    try file.xml { _, place in line = place.leftOutLine }
    #expect(line == 4)
  }

  @Test("attributes that the document's declarations add are not told")
  func defaults() throws {
    #expect(try events("<!DOCTYPE a [<!ATTLIST b y CDATA \"x\">]><a><b z=\"1\"/></a>") == ["<a> 1", "<b z=1> 1", "</b>", "</a>"])
  }

  @Test("the bytes of a part are those of the source, with what was left out; in another encoding they are not known")
  func original() throws {
    let text = "<?xml version='1.0' encoding='%'?><a><b  c='1'\n>x\u{1}&#2;é</b ><b/></a>"
    for name in ["UTF-8", "ISO-8859-1"] {
      let declared = text.replacingOccurrences(of: "%", with: name)
      let file = try XMLFile(#require(declared.data(using: name == "UTF-8" ? .utf8 : .isoLatin1)))
      var (start, originals): (Int?, [String?]) = (nil, [])
      try file.xml { event, place in
        if case .start("b", _) = event { start = place.offset }
        if event == .end("b") { originals.append(place.original(from: start).map { String(decoding: $0, as: UTF8.self) }) }
      }
      #expect(originals == (name == "UTF-8" ? ["<b  c='1'\n>x\u{1}&#2;é</b >", "<b/>"] : [nil, nil]))
    }
  }

  @Test("the outermost element's name is found without its prefix, and nil in what is no XML")
  func root() throws {
    func root(_ text: String) throws -> String? {
      let file = try XMLFile(Data(text.utf8))
      return withExtendedLifetime(file.folder) { file.source.xmlRoot() }
    }
    #expect(try root("<?xml version=\"1.0\"?><x:playlist xmlns:x=\"y\"><a>") == "playlist")
    #expect(try root("{\"a\": 1}") == nil)
    #expect(try root("") == nil)
  }
}
