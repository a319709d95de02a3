import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

// The whole of a document is never in memory, and nothing outside of it is ever read. Refused before they cost anything:
// declared entities (a bomb of them, or another file), elements in each other deeper than `greatestDepth`, one text longer
// than `greatestText`, one tag with more than `mostAttributes`, for which some parsers take the square of their number.

/// What stands in an XML document, one after the other.
enum XMLEvent: Sendable, Equatable {
  case start(String, [String: String])
  case end(String)
  /// Everything between two tags, white space too.
  case text(String)
}

/// Where a reading is.
struct XMLPlace {
  // Not the reading itself: the parser points at it weakly, and such an object is slow to count references of.
  fileprivate let parser: XMLParser
  fileprivate let bytes: XMLBytes

  /// From 1.
  var line: Int { parser.lineNumber }
  /// How many bytes of the file were read so far.
  var position: Int { bytes.position }
}

extension ImportSource {
  /// Calls `body` with what stands in the file, and proves at the end that these were the bytes that `sha256` is of.
  ///
  /// In every encoding that the system's parser knows. What `body` throws ends the reading and is thrown on.
  /// - Throws: `.invalidSource` with the line, and with the offset when the file ends too early; `.verificationFailed` when
  ///   it changed; what reading a file can throw.
  func xml(_ body: (XMLEvent, XMLPlace) throws -> Void) throws {
    try withoutActuallyEscaping(body) { body in try XMLReading(self, body).run() }
  }

  /// The name of the document's outermost element, without a prefix; nil when this is no XML.
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
  private let source: ImportSource
  let bytes: XMLBytes
  let parser: XMLParser
  private let body: (XMLEvent, XMLPlace) throws -> Void
  private var open: [String] = []
  private var text = ""
  private var failure: (any Error)?
  /// The failure came when the parser had all bytes: of a tag that is cut off, it makes one with a shorter name.
  private var failedAtEnd = false
  /// The parser's first.
  private var complaint: StoreError?
  /// The parser complained before it had all bytes.
  private var isInside = false
  /// Bytes ended in an end tag, which the parser takes as if it were whole.
  private var isCutInTag = false

  private static let endsEarly = 5
  private static let tagIsOpen = 73
  private static let greatestDepth = 200
  private static let greatestText = 1 << 24

  init(_ source: ImportSource, _ body: @escaping (XMLEvent, XMLPlace) throws -> Void) throws {
    self.source = source
    self.body = body
    bytes = try XMLBytes(source.url)
    parser = XMLParser(stream: bytes)
    super.init()
    parser.delegate = self
  }

  func run() throws {
    // False for some documents that are cut off, true for some that are wrong: what was found decides.
    _ = parser.parse()
    if isCutInTag, bytes.failure == nil, failure == nil { throw ended() }
    let isCut = !open.isEmpty || !bytes.hasRoot
    if let failure = bytes.failure ?? failure { throw isCut && failedAtEnd ? ended() : failure }
    // Of a file that is cut off, the parser complains about the piece of a tag first, and says so last.
    if let complaint, isInside || !isCut || parser.parserError.map({ ($0 as NSError).code }) != Self.endsEarly { throw complaint }
    if isCut { throw ended() }
    guard try bytes.finish() == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was read")
    }
  }

  private func tell(_ event: XMLEvent) {
    guard failure == nil, complaint == nil else { return }
    do {
      try body(event, XMLPlace(parser: parser, bytes: bytes))
    } catch {
      stop(error)
    }
  }

  /// The parser gets no more bytes, and nobody hears what it says of those that it has. It is not aborted: in wide encodings it
  /// goes on with a buffer that is not there any more.
  private func stop(_ error: any Error) {
    if failure == nil { (failure, failedAtEnd) = (error, bytes.isAtEnd) }
    bytes.isStopped = true
  }

  private func flush() {
    guard !text.isEmpty else { return }
    tell(.text(text))
    text = ""
  }

  // MARK: What the parser says

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
    StoreError(.invalidSource, "the XML is not read on at line \(parser.lineNumber): \(reason)")
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
    case Self.endsEarly: reason = "something stands behind the end of the document"
    case 9: reason = "a character is not allowed there, or is not in the encoding"
    case 26, 27: reason = "an entity is not declared"
    case 32: reason = "the encoding that it declares is not known"
    case 76: reason = "an end tag is not that of <\(open.last ?? "")>"
    case 89: reason = "an entity contains itself"
    default: reason = "the parser's error \(error.code)"
    }
    return StoreError(
      .invalidSource, "the XML stops making sense at line \(parser.lineNumber), column \(parser.columnNumber): \(reason)", cause: error)
  }
}

/// The bytes of a file on their way to the parser: hashed, and looked at for what it would choke on.
private final class XMLBytes: InputStream {
  private let file: FileBytes
  private let url: URL
  private var sum = SHA256Sum()
  private(set) var position = 0
  private(set) var failure: (any Error)?
  /// Set when the first element begins: before it may stand declarations.
  var hasRoot = false
  /// Nothing more is read.
  var isStopped = false
  private(set) var isAtEnd = false
  private var end: [UInt8] = []
  private var attributes = XMLAttributeCount()
  /// Nil for a document in another encoding, which the parser makes UTF-8 of.
  private var utf8: UTF8Check? = UTF8Check()

  private static let mostAttributes = 4_096
  private static let beginning = 4_096
  static let entities = StoreError(
    .invalidSource, "the XML declares entities, which are not read", suggestion: "Export it again from the program that made it.")

  init(_ url: URL) throws {
    file = try FileBytes(url)
    self.url = url
    super.init(data: Data())
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard !isStopped, failure == nil else { return 0 }
    do {
      // Some want no more than the root.
      let piece = try file.next(hasRoot ? length : min(length, Self.beginning))
      guard !piece.isEmpty else {
        isAtEnd = true
        return 0
      }
      if position == 0, XMLEncoding.isAnother(piece) { utf8 = nil }
      take(piece)
      try check(piece)
      piece.copyBytes(to: buffer, count: piece.count)
      return piece.count
    } catch {
      failure = DurableFile.failure(error, url)
      return 0
    }
  }

  /// The hash of the whole file, once the rest is read that the parser had no use for.
  func finish() throws -> String {
    while case let piece = try file.next(1 << 16), !piece.isEmpty { take(piece) }
    return sum.hex
  }

  private func take(_ piece: Data) {
    sum.add(piece)
    position += piece.count
  }

  private func check(_ piece: Data) throws {
    // A name that is no UTF-8 is a trap in some parsers.
    if let bad = piece.withUnsafeBytes({ utf8?.firstBad(in: $0) }) {
      let place = position - piece.count + bad
      var error = StoreError(.invalidSource, "the XML stops making sense at byte \(place), which is no UTF-8")
      error.offset = place
      throw error
    }
    if !hasRoot {
      // In encodings with wider characters, ASCII has zeros around it.
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
