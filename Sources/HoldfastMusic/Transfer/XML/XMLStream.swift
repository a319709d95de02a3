internal import CHoldfastXML
import Foundation
import Holdfast
import HoldfastTransfer

// A document is never in memory as a whole, and nothing outside of it is read. Refused before they cost time or memory: declared entities
// (an entity bomb, or another file), elements nested deeper than `greatestDepth`, one text, one tag or one list of attributes beyond the
// limits of `holdfast_xml.h`. A character that XML forbids is left out; `leftOut` counts them.

/// The parts of an XML document, in order.
enum XMLEvent: Sendable, Equatable {
  case start(String, [String: String])
  case end(String)
  /// All text between two tags, with white space.
  case text(String)
}

extension ImportSource {
  /// Calls `body` with each part of the file, and verifies at the end that the bytes have the hash `sha256`.
  ///
  /// Reads every encoding that libxml2 knows. An error of `body` ends the reading and is thrown.
  /// - Throws: `.invalidSource` with the line, and with the offset when the file ends too early; `.verificationFailed` when the
  ///   file changed; the errors of reading a file.
  /// - Returns: the reading, at the end of the document.
  @discardableResult
  func xml(_ body: (XMLEvent, XMLReading) throws -> Void) throws -> XMLReading {
    let reading = try XMLReading(self)
    while let event = try reading.next() { try body(event, reading) }
    return reading
  }

  /// The name of the outermost element, without a prefix; nil when the file is not XML.
  func xmlRoot() -> String? {
    guard let reading = try? XMLReading(self), case .start(let name, _)? = try? reading.next() else { return nil }
    return name.split(separator: ":").last.map(String.init)
  }
}

/// One reading of an XML document: its parts, one after another, and the place of the last one.
final class XMLReading {
  /// How many bytes of the file were read so far.
  private(set) var position = 0
  /// The place of the last part in the file, where that can be known: behind an end tag, and before the end of a start tag. Of a text, that of
  /// the tag behind it; so are its line and what was left out.
  var offset: Int? { event.offset < 0 ? nil : Int(event.offset) }
  /// From 1.
  var line: Int { Int(event.line) }
  /// How many characters that XML forbids were left out before the end of the last part, and the line of the last one.
  var leftOut: Int { Int(event.left_out) }
  var leftOutLine: Int { Int(event.left_out_line) }

  private let source: ImportSource
  private let pieces: SourcePieces
  private let parser: OpaquePointer
  private var event = holdfast_xml_event()
  /// The names of tags by their numbers.
  private var names: [String] = []
  private var open: [String] = []
  private var hasRoot = false
  private var isAtEnd = false

  private static let greatestDepth = 200
  /// Some callers read only the root element.
  private static let beginning = 4_096

  init(_ source: ImportSource) throws {
    self.source = source
    pieces = try SourcePieces(source)
    guard let parser = holdfast_xml_new() else { throw StoreError(.outOfMemory, "there is no memory to read XML") }
    self.parser = parser
  }

  deinit { holdfast_xml_free(parser) }

  /// The next part; nil at the end of the document.
  func next() throws -> XMLEvent? {
    while holdfast_xml_next(parser, &event) == 0 {
      let problem = holdfast_xml_what(parser)
      guard problem.kind == HOLDFAST_XML_FINE else { throw failure(problem) }
      guard !isAtEnd else {
        guard open.isEmpty, hasRoot else { throw ended() }
        event.left_out = holdfast_xml_left_out(parser, &event.left_out_line)
        return nil
      }
      if let piece = try pieces.next(hasRoot ? 1 << 16 : Self.beginning) {
        position += piece.count
        piece.withUnsafeBytes { holdfast_xml_add(parser, $0.bindMemory(to: CChar.self).baseAddress, $0.count, 0) }
      } else {
        isAtEnd = true
        holdfast_xml_add(parser, nil, 0, 1)
      }
    }
    switch event.kind {
    case HOLDFAST_XML_START:
      hasRoot = true
      let name = name()
      open.append(name)
      guard open.count <= Self.greatestDepth else { throw refused("elements stand more than \(Self.greatestDepth) deep in each other") }
      return .start(name, event.attributes_length == 0 ? [:] : attributes())
    case HOLDFAST_XML_END: return .end(open.popLast() ?? name())
    default: return .text(Self.text(event.text, event.length))
    }
  }

  /// The bytes of the source from the start tag that ended at `start` to the end of the last part; nil where their place is not known.
  func original(from start: Int?) -> [UInt8]? {
    guard let start, let end = offset, start <= end, end - start <= HOLDFAST_XML_MOST_TEXT else { return nil }
    let before = min(start, 256)
    guard let bytes = try? source.peek(before + end - start, at: Int64(start - before)),
      let tag = bytes.prefix(before).lastIndex(of: UInt8(ascii: "<"))
    else { return nil }
    return Array(bytes[tag...])
  }

  private static func text(_ bytes: UnsafePointer<CChar>?, _ length: Int) -> String {
    UnsafeRawBufferPointer(start: bytes, count: length).withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
  }

  private func name() -> String {
    let number = Int(event.name)
    if names.indices.contains(number) { return names[number] }
    let name = Self.text(event.text, event.length)
    if number == names.count { names.append(name) }
    return name
  }

  private func attributes() -> [String: String] {
    let parts = UnsafeRawBufferPointer(start: event.attributes, count: event.attributes_length).split(
      separator: 0, omittingEmptySubsequences: false
    )
    .map { String(decoding: $0, as: UTF8.self) }
    var attributes: [String: String] = [:]
    for place in stride(from: 0, to: parts.count - 1, by: 2) { attributes[parts[place]] = parts[place + 1] }
    return attributes
  }

  // MARK: Errors

  private func refused(_ reason: String, line: Int? = nil) -> StoreError {
    StoreError(.invalidSource, "reading the XML stopped at line \(line ?? self.line): \(reason)")
  }

  private func ended() -> StoreError {
    let what = open.last.map { "in the middle of <\($0)>" } ?? (hasRoot ? "in the middle of its last tag" : "before anything begins")
    return StoreError(.invalidSource, "the XML ends at byte \(position), \(what)", offset: position)
  }

  private func failure(_ problem: holdfast_xml_problem) -> StoreError {
    switch problem.kind {
    case HOLDFAST_XML_ENTITIES:
      return StoreError(
        .invalidSource, "the XML declares entities, which are not read", suggestion: "Export it again from the program that made it.")
    case HOLDFAST_XML_LONG_TEXT: return refused("one text has more than \(HOLDFAST_XML_MOST_TEXT) bytes", line: Int(problem.line))
    case HOLDFAST_XML_LONG_TAG: return refused("one tag has more than \(HOLDFAST_XML_MOST_TAG) bytes", line: Int(problem.line))
    case HOLDFAST_XML_MANY_ATTRIBUTES:
      return refused("a tag with more than \(HOLDFAST_XML_MOST_ATTRIBUTES) attributes", line: Int(problem.line))
    case HOLDFAST_XML_NO_MEMORY: return StoreError(.outOfMemory, "there is no memory to read XML")
    case HOLDFAST_XML_NOT_UTF8:
      return StoreError(
        .invalidSource, "the XML stops making sense at byte \(problem.offset), which is not UTF-8", offset: Int(problem.offset))
    default: return damaged(problem)
    }
  }

  private static let endsEarly: Int32 = 5
  private static let tagIsOpen: Int32 = 73

  private func damaged(_ problem: holdfast_xml_problem) -> StoreError {
    // For a file that is cut off, the parser first reports the incomplete tag, and then the early end.
    if isAtEnd, !hasRoot || !open.isEmpty, problem.code == Self.tagIsOpen || problem.last_code == Self.endsEarly { return ended() }
    let reason: String
    switch problem.code {
    case 4: reason = "no element begins there"
    case Self.endsEarly: reason = "the document has content after its end"
    case 6, 7, 8: reason = "a number stands for no character"
    case 9: reason = "a character is not allowed there, or is not in the encoding"
    case 23: reason = "a & begins no entity; one that stands for itself is written &amp;"
    case 26, 27: reason = "an entity is not declared"
    case 6_000...6_004: reason = "its bytes are not in the encoding that it declares"
    case 31, 32, 81: reason = "the encoding that it declares is not known"
    case 38...41: reason = "an attribute is not written as name=\"value\""
    case 42: reason = "a tag has an attribute twice"
    case 65, 72...75, 77: reason = "a tag is not complete"
    case 68: reason = "a name is missing; a < or & that stands for itself is written &lt; or &amp;"
    case 76: reason = "an end tag does not match <\(open.last ?? "")>"
    default: reason = "it is not XML there"
    }
    return StoreError(
      .invalidSource, "the XML stops making sense at line \(problem.line), column \(problem.column): \(reason)",
      cause: XMLProblem(code: Int(problem.code)))
  }
}

/// libxml2's number of an error.
struct XMLProblem: Error { let code: Int }

/// What was left out of one record, because XML forbids it.
struct XMLLeftOut: Sendable {
  /// The part of the record with the first such character.
  var field: String
  var line: Int
  /// The record as the source has it.
  var original: [UInt8]

  static let reason = "a character that XML does not allow was left out"
}
