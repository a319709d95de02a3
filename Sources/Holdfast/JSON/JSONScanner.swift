// Invariants: the cursor is in the text of `document`, which the scanner keeps alive. A method that throws leaves the scanner in place, so
// a caller can catch the error and skip the value.

/// Reads a JSON document value by value, and always knows its place.
///
/// Strict: RFC 8259 in UTF-8, at most 512 levels deep; a byte order mark is skipped. No input traps.
/// A scanner is a cheap value. A copy is a bookmark: reading can go on from there later, any number of times, in any task. When a method
/// throws, the scanner stays where it was.
public struct JSONScanner: @unchecked Sendable {
  // Unchecked because of the pointer into the document, which is immutable and retained here.
  package let document: JSONDocument
  var tokens: JSONTokens
  private(set) var container: JSONContainer?
  private(set) var step: Int

  /// Makes a scanner at a value: by default at the outermost one.
  ///
  /// - Parameters:
  ///   - offset: Where the value, or white space before it, begins: from ``offset`` or ``skip()`` of another scanner. An offset outside the
  ///     document counts as its end.
  ///   - path: The path of that value, from ``location`` of another scanner of the document: for paths in errors, and for the depth limit. A
  ///     path in another document counts as the root.
  public init(_ document: JSONDocument, at offset: Int = 0, path: JSONPath = .root) {
    self.document = document
    let text = document.text
    tokens = JSONTokens(base: text.base, end: text.end, offset: min(max(offset, min(document.start, text.end)), text.end))
    let path = path.document === document ? path : .root
    (container, step) = (path.container, path.step)
  }

  /// The byte offset where reading goes on. In the closures of ``object(_:)`` and ``array(_:)``, before they read: the value's first byte.
  public var offset: Int { tokens.offset }

  /// The path of the value at the scanner, such as `$.collections[3].tracks[5]`. Each call builds the text: use it for errors and reports.
  public var path: String { location.description }

  /// The path of the value at the scanner, for a later ``init(_:at:path:)``.
  public var location: JSONPath { JSONPath(document: document, container: container, step: step) }

  /// The kind of the next value, from its first byte; `.end` when nothing is left.
  public mutating func peek() throws(JSONScanError) -> JSONKind {
    tokens.skipSpace()
    if let kind = JSONKind(firstByte: tokens.byte) { return kind }
    guard tokens.offset >= tokens.end, document.otherEncoding == nil else { throw failure("a value") }
    return .end
  }

  // MARK: Objects and arrays

  /// Reads an object. Calls `member` for each key, with the scanner at the key's value.
  ///
  /// A value that `member` does not read is checked and skipped. Keys come in the document's order, with duplicates.
  ///
  /// - Throws: `JSONScanError` when the value is not an object or is damaged; the errors of `member`.
  public mutating func object(_ member: (JSONKey, inout JSONScanner) throws -> Void) throws {
    let document = document
    try contents(of: .object) { scanner, isFirst throws(JSONScanError) in
      let key = try scanner.token { tokens throws(JSONTokenFailure) in
        let key = try tokens.key(isFirst ? "a key or the end of the object" : "a key")
        try tokens.colon()
        return key
      }
      scanner.step = JSONStep.key(key)
      return key
    } visit: { key, scanner in
      try member(JSONKey(key, in: document), &scanner)
    }
  }

  /// Reads an array. Calls `element` for each index from 0, with the scanner at that element.
  ///
  /// An element that the closure does not read is checked and skipped.
  ///
  /// - Throws: `JSONScanError` when the value is not an array or is damaged; the errors of `element`.
  public mutating func array(_ element: (Int, inout JSONScanner) throws -> Void) throws {
    var next = 0
    try contents(of: .array) { scanner, isFirst throws(JSONScanError) in
      scanner.step = next
      if isFirst, !scanner.tokens.startsValue { throw scanner.failure("a value or the end of the array") }
      next += 1
      return scanner.step
    } visit: { index, scanner in
      try element(index, &scanner)
    }
  }

  /// The common part of objects and arrays: `prepare` moves to the next value and sets the step; `visit` may read the value.
  @inline(__always)
  private mutating func contents<Item>(
    of kind: JSONKind, prepare: (inout JSONScanner, _ isFirst: Bool) throws(JSONScanError) -> Item,
    visit: (Item, inout JSONScanner) throws -> Void
  ) throws {
    try expect(kind)
    let start = (document: document, offset: tokens.offset, path: location)
    let end = kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    do {
      try enter()
      let inner = container
      tokens.skipSpace()
      var isFirst = true
      while tokens.byte != end || !isFirst {
        let item = try prepare(&self, isFirst)
        isFirst = false
        guard tokens.startsValue else { throw failure("a value") }
        let value = (offset: tokens.offset, step: step)
        try visit(item, &self)
        guard document === start.document, tokens.offset >= value.offset else {
          throw failure("the same scanner at the same place or further on")
        }
        if container !== inner { container = inner }
        if tokens.offset == value.offset {
          step = value.step
          try skip()
        }
        step = JSONStep.none
        tokens.skipSpace()
        if tokens.byte == end { break }
        guard tokens.byte == UInt8(ascii: ",") else {
          throw failure("a comma or the end of the \(kind == .object ? "object" : "array")")
        }
        tokens.offset += 1
        tokens.skipSpace()
      }
      tokens.offset += 1
      (container, step) = (start.path.container, start.path.step)
    } catch {
      self = JSONScanner(start.document, at: start.offset, path: start.path)
      throw error
    }
  }

  private mutating func enter() throws(JSONScanError) {
    guard depth < JSONContainer.greatestDepth else { throw failure(.tooDeep(at: tokens.offset)) }
    container = JSONContainer(parent: container, step: step)
    step = JSONStep.none
    tokens.offset += 1
  }

  // MARK: Single values

  /// Reads a string and decodes it.
  ///
  /// - Throws: `JSONScanError` for another value, and for a damaged string: invalid UTF-8, half a surrogate pair, a bare control character.
  public mutating func string() throws(JSONScanError) -> String {
    try expect(.string)
    return try token { tokens throws(JSONTokenFailure) in try tokens.string() }.string
  }

  /// Reads an integer, however it is written: `1.0` and `1e3` are integers.
  ///
  /// - Throws: `JSONScanError` when the value is not a number, has a fraction, or does not fit 64 bits.
  public mutating func int64() throws(JSONScanError) -> Int64 {
    try expect(.number)
    let start = tokens.offset
    let number = try token { tokens throws(JSONTokenFailure) in try tokens.number() }
    guard let value = number.int64 else {
      tokens.offset = start
      throw failure(JSONTokenFailure(offset: start, expected: "an integer of 64 bits", found: number.text))
    }
    return value
  }

  /// Reads a number as the nearest Double; a number too small for a Double becomes 0.
  ///
  /// - Throws: `JSONScanError` when the value is not a number, or too large for a Double.
  public mutating func double() throws(JSONScanError) -> Double {
    try expect(.number)
    return try token { tokens throws(JSONTokenFailure) in try tokens.number().double }
  }

  /// Reads `true` or `false`.
  ///
  /// - Throws: `JSONScanError` for any other value; 0 and 1 are numbers.
  public mutating func bool() throws(JSONScanError) -> Bool {
    try expect(.bool)
    return try token { tokens throws(JSONTokenFailure) in try tokens.bool() }
  }

  /// Reads `null` if it comes next; returns whether it did.
  ///
  /// - Throws: `JSONScanError` when no value comes next.
  public mutating func null() throws(JSONScanError) -> Bool {
    guard try peek() == .null else {
      guard tokens.startsValue else { throw failure("a value") }
      return false
    }
    try token { tokens throws(JSONTokenFailure) in try tokens.literal("null") }
    return true
  }

  // MARK: Whole values

  /// Reads a value of any kind and drops it; returns the range of its bytes, without the white space around it.
  ///
  /// Checks everything except duplicate keys.
  @discardableResult
  public mutating func skip() throws(JSONScanError) -> Range<Int> {
    var check = JSONCheck()
    return try walk(&check)
  }

  /// Reads a value of any kind as a tree.
  ///
  /// Integers that do not fit 64 bits become doubles, as do numbers with a point or an exponent.
  ///
  /// - Throws: `JSONScanError` for a damaged value, and for an object with the same key twice, where one value would be lost.
  public mutating func value() throws(JSONScanError) -> JSONValue {
    tokens.skipSpace()
    // Most values are single ones: they need no tree.
    switch JSONKind(firstByte: tokens.byte) {
    case .string: return .string(try token { tokens throws(JSONTokenFailure) in try tokens.string() }.string)
    case .number: return JSONValue(try token { tokens throws(JSONTokenFailure) in try tokens.number() })
    default: break
    }
    var tree = JSONTree()
    try walk(&tree)
    return tree.root
  }

  @discardableResult
  private mutating func walk(_ visitor: inout some JSONVisitor) throws(JSONScanError) -> Range<Int> {
    defer { withExtendedLifetime(document) {} }
    tokens.skipSpace()
    let start = tokens.offset
    // A local copy stays in registers, which is faster.
    var cursor = tokens
    do {
      try cursor.walk(&visitor, outerDepth: depth)
    } catch {
      var finder = JSONPathFinder(offset: cursor.offset, container: container, step: step)
      var second = tokens
      try? second.walk(&finder, outerDepth: depth)
      throw failure(error, JSONPath(document: document, container: finder.container, step: finder.step))
    }
    tokens = cursor
    return start..<cursor.offset
  }

  /// Checks that only white space follows.
  public mutating func finish() throws(JSONScanError) {
    guard try peek() == .end else { throw failure("end of the file") }
  }

  // MARK: Errors

  private var depth: Int { container?.depth ?? 0 }

  private mutating func expect(_ kind: JSONKind) throws(JSONScanError) {
    tokens.skipSpace()
    let found = JSONKind(firstByte: tokens.byte)
    guard found != kind else { return }
    throw failure(JSONTokenFailure(offset: tokens.offset, expected: kind.phrase, found: found?.phrase))
  }

  @inline(__always)
  private mutating func token<T>(_ read: (inout JSONTokens) throws(JSONTokenFailure) -> T) throws(JSONScanError) -> T {
    defer { withExtendedLifetime(document) {} }
    do { return try read(&tokens) } catch { throw failure(error) }
  }

  private func failure(_ expected: String) -> JSONScanError {
    failure(JSONTokenFailure(offset: tokens.offset, expected: expected))
  }

  @inline(never)
  private func failure(_ failure: JSONTokenFailure, _ path: JSONPath? = nil) -> JSONScanError {
    if let encoding = document.otherEncoding {
      return JSONScanError(offset: 0, expected: "text in UTF-8", found: encoding, path: "$")
    }
    let found = failure.found ?? JSONScanError.found(in: document, at: failure.offset)
    return JSONScanError(offset: failure.offset, expected: failure.expected, found: found, path: (path ?? location).short)
  }
}
