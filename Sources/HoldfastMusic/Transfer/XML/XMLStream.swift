import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

// A document is never in memory as a whole, and nothing outside of it is read. Refused before they cost time or memory:
// declared entities (an entity bomb, or another file), elements nested deeper than `greatestDepth`, one text longer than
// `greatestText`, one tag with more than `mostAttributes` (some parsers need the square of their number).

/// The parts of an XML document, in order.
enum XMLEvent: Sendable, Equatable {
  case start(String, [String: String])
  case end(String)
  /// All text between two tags, with white space.
  case text(String)
}

/// The place of a reading in its file.
struct XMLPlace {
  // Not the reading itself: the parser refers to it weakly, which makes reference counting slow.
  fileprivate let parser: XMLParser
  fileprivate let bytes: XMLBytes

  /// From 1.
  var line: Int { parser.lineNumber }
  /// How many bytes of the file were read so far.
  var position: Int { bytes.position }
}

extension ImportSource {
  /// Calls `body` with each part of the file, and verifies at the end that the bytes have the hash `sha256`.
  ///
  /// Reads every encoding that the system's parser knows. An error of `body` ends the reading and is thrown.
  /// - Throws: `.invalidSource` with the line, and with the offset when the file ends too early; `.verificationFailed` when the
  ///   file changed; the errors of reading a file.
  func xml(_ body: (XMLEvent, XMLPlace) throws -> Void) throws {
    try withoutActuallyEscaping(body) { body in try XMLReading(self, body).run() }
  }

  /// The name of the outermost element, without a prefix; nil when the file is not XML.
  func xmlRoot() -> String? {
    struct Found: Error { let name: String }
    do {
      try xml { event, _ in
        if case .start(let name, _) = event { throw Found(name: name) }
      }
      return nil
    } catch {
      return (error as? Found)?.name.split(separator: ":").last.map(String.init)
    }
  }
}

private final class XMLReading: NSObject, XMLParserDelegate {
  let bytes: XMLBytes
  let parser: XMLParser
  private let body: (XMLEvent, XMLPlace) throws -> Void
  private var open: [String] = []
  private var text = ""
  private var failure: (any Error)?
  /// Whether `body` failed after the parser had all bytes: the parser takes a tag that is cut off for a tag with a shorter name.
  private var failedAtEnd = false
  /// The parser's first error.
  private var complaint: StoreError?
  /// Whether the parser's error came before it had all bytes.
  private var isInside = false
  /// Whether the bytes end inside an end tag, which the parser takes for complete.
  private var isCutInTag = false

  private static let endsEarly = 5
  private static let tagIsOpen = 73
  private static let greatestDepth = 200
  private static let greatestText = 1 << 24

  init(_ source: ImportSource, _ body: @escaping (XMLEvent, XMLPlace) throws -> Void) throws {
    self.body = body
    bytes = try XMLBytes(source)
    parser = XMLParser(stream: bytes)
    super.init()
    parser.delegate = self
  }

  func run() throws {
    // The result is false for some complete documents and true for some invalid ones, so the errors found decide.
    _ = parser.parse()
    if isCutInTag, bytes.failure == nil, failure == nil { throw ended() }
    let isCut = !open.isEmpty || !bytes.hasRoot
    if let failure = bytes.failure ?? failure { throw isCut && failedAtEnd ? ended() : failure }
    // For a file that is cut off, the parser first reports the incomplete tag, and only then the early end.
    if let complaint, isInside || !isCut || parser.parserError.map({ ($0 as NSError).code }) != Self.endsEarly { throw complaint }
    if isCut { throw ended() }
    try bytes.finish()
  }

  private func tell(_ event: XMLEvent) {
    guard failure == nil, complaint == nil else { return }
    do {
      try body(event, XMLPlace(parser: parser, bytes: bytes))
    } catch {
      stop(error)
    }
  }

  /// The parser gets no more bytes, and its later events are ignored. It is not aborted: in wide encodings it would go on with
  /// a freed buffer.
  private func stop(_ error: any Error) {
    if failure == nil { (failure, failedAtEnd) = (error, bytes.isAtEnd) }
    bytes.isStopped = true
  }

  private func flush() {
    guard !text.isEmpty else { return }
    tell(.text(text))
    text = ""
  }

  // MARK: The parser's events

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
  ) {
    bytes.hasRoot = true
    flush()
    open.append(name)
    guard open.count <= Self.greatestDepth else {
      return stop(refused("elements stand more than \(Self.greatestDepth) deep in each other"))
    }
    tell(.start(name, attributes))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    flush()
    _ = open.popLast()
    tell(.end(name))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard failure == nil else { return }
    text += string
    if text.utf8.count > Self.greatestText { stop(refused("one text has more than \(Self.greatestText) bytes")) }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) { self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self)) }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    if complaint == nil { isCutInTag = bytes.isAtEnd && (error as NSError).code == Self.tagIsOpen }
    complaint = complaint ?? invalid(error as NSError)
    if !bytes.isAtEnd { (isInside, bytes.isStopped) = (true, true) }
  }

  func parser(_ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?) { stop(XMLBytes.entities) }

  func parser(_ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?, systemID: String?) {
    stop(XMLBytes.entities)
  }

  // MARK: Errors

  private func refused(_ reason: String) -> StoreError {
    StoreError(.invalidSource, "reading the XML stopped at line \(parser.lineNumber): \(reason)")
  }

  private func ended() -> StoreError {
    let what = open.last.map { "in the middle of <\($0)>" } ?? (bytes.hasRoot ? "in the middle of its last tag" : "before anything begins")
    var error = StoreError(.invalidSource, "the XML ends at byte \(bytes.position), \(what)")
    error.offset = bytes.position
    return error
  }

  private func invalid(_ error: NSError) -> StoreError {
    let reason: String
    switch error.code {
    case 4: reason = "no element begins there"
    case Self.endsEarly: reason = "the document has content after its end"
    case 6, 7, 8: reason = "a number stands for a character that XML does not allow"
    case 9: reason = "a character is not allowed there, or is not in the encoding"
    case 23: reason = "a & begins no entity; one that stands for itself is written &amp;"
    case 26, 27: reason = "an entity is not declared"
    case 32: reason = "the encoding that it declares is not known"
    case 38...41: reason = "an attribute is not written as name=\"value\""
    case 42: reason = "a tag has an attribute twice"
    case 65, 72...75, 77: reason = "a tag is not complete"
    case 68: reason = "a name is missing; a < or & that stands for itself is written &lt; or &amp;"
    case 76: reason = "an end tag does not match <\(open.last ?? "")>"
    case 89: reason = "an entity contains itself"
    default: reason = "it is not XML there"
    }
    return StoreError(
      .invalidSource, "the XML stops making sense at line \(parser.lineNumber), column \(parser.columnNumber): \(reason)", cause: error)
  }
}

/// The bytes of a file on their way to the parser, checked for content that some parsers cannot handle.
private final class XMLBytes: InputStream {
  private let pieces: SourcePieces
  private(set) var position = 0
  private(set) var failure: (any Error)?
  /// True from the first element on: declarations stand before it.
  var hasRoot = false
  /// Whether to end the reading.
  var isStopped = false
  private(set) var isAtEnd = false
  private var end: [UInt8] = []
  private var attributes = XMLAttributeCount()
  /// Nil for a document in another encoding, which the parser converts to UTF-8.
  private var utf8: UTF8Check? = UTF8Check()

  private static let mostAttributes = 4_096
  private static let beginning = 4_096
  static let entities = StoreError(
    .invalidSource, "the XML declares entities, which are not read", suggestion: "Export it again from the program that made it.")

  init(_ source: ImportSource) throws {
    pieces = try SourcePieces(source)
    super.init(data: Data())
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard !isStopped, failure == nil else { return 0 }
    do {
      // Some callers read only the root element.
      guard let piece = try pieces.next(hasRoot ? length : min(length, Self.beginning)) else {
        isAtEnd = true
        return 0
      }
      if position == 0, XMLEncoding.isAnother(piece) { utf8 = nil }
      position += piece.count
      try check(piece)
      piece.copyBytes(to: buffer, count: piece.count)
      return piece.count
    } catch {
      failure = error
      return 0
    }
  }

  /// Reads the rest, which the parser did not need, so that the hash of the whole file is checked.
  func finish() throws {
    while try pieces.next() != nil {}
  }

  private func check(_ piece: Data) throws {
    // Some parsers crash on a name that is not UTF-8.
    if let bad = piece.withUnsafeBytes({ utf8?.firstBad(in: $0) }) {
      let place = position - piece.count + bad
      var error = StoreError(.invalidSource, "the XML stops making sense at byte \(place), which is not UTF-8")
      error.offset = place
      throw error
    }
    if !hasRoot {
      // In wide encodings, ASCII characters have zeros around them.
      end += piece.filter { $0 != 0 }
      if Data(end).range(of: Data("<!ENTITY".utf8)) != nil { throw Self.entities }
      end = end.suffix(7)
    }
    piece.withUnsafeBytes { attributes.take($0) }
    guard attributes.most <= Self.mostAttributes else {
      throw StoreError(.invalidSource, "the XML has a tag with more than \(Self.mostAttributes) attributes, before byte \(position)")
    }
  }

  override func open() {}
  override func close() {}
  override var hasBytesAvailable: Bool { !isStopped }
  override var streamStatus: Stream.Status { .open }
  override var streamError: (any Error)? { failure }
}
