/// Receives the tokens of a walk over a whole value, in document order. By default it passes over them.
protocol JSONVisitor {
  mutating func open(_ kind: JSONKind)
  mutating func close()
  mutating func key(_ token: JSONStringToken) throws(JSONTokenFailure)
  /// A value follows: of a member, or the next element of an array.
  mutating func willVisit()
  /// The value is complete, and its container has more.
  mutating func didVisit()
  mutating func string(_ token: JSONStringToken)
  mutating func number(_ number: JSONNumber)
  mutating func bool(_ value: Bool)
  mutating func null()
}

extension JSONVisitor {
  func open(_: JSONKind) {}
  func close() {}
  func key(_: JSONStringToken) {}
  func willVisit() {}
  func didVisit() {}
  func string(_: JSONStringToken) {}
  func number(_: JSONNumber) {}
  func bool(_: Bool) {}
  func null() {}
}

extension JSONTokens {
  /// Reads one whole value. Without recursion, so that no input can exhaust the stack.
  ///
  /// `outerDepth` is the number of containers open around the value. When this throws, `offset` is at the wrong token.
  mutating func walk(_ visitor: inout some JSONVisitor, outerDepth: Int) throws(JSONTokenFailure) {
    var open = OpenContainers(depth: outerDepth)
    while true {
      switch byte {
      case UInt8(ascii: "{"):
        try open.push(isObject: true, at: offset)
        offset += 1
        visitor.open(.object)
        skipSpace()
        if byte == UInt8(ascii: "}") { break }
        try member(&visitor, "a key or the end of the object")
        continue
      case UInt8(ascii: "["):
        try open.push(isObject: false, at: offset)
        offset += 1
        visitor.open(.array)
        skipSpace()
        if byte == UInt8(ascii: "]") { break }
        visitor.willVisit()
        guard startsValue else { throw JSONTokenFailure(offset: offset, expected: "a value or the end of the array") }
        continue
      case UInt8(ascii: "\""): visitor.string(try string())
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): visitor.number(try number())
      case UInt8(ascii: "t"), UInt8(ascii: "f"): visitor.bool(try bool())
      case UInt8(ascii: "n"):
        try literal("null")
        visitor.null()
      default: throw JSONTokenFailure(offset: offset, expected: "a value")
      }
      // Each turn closes one container, until a container has more values or none is open.
      while true {
        guard let isObject = open.top else { return }
        skipSpace()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          offset += 1
          open.pop()
          visitor.close()
          continue
        }
        visitor.didVisit()
        guard byte == UInt8(ascii: ",") else {
          throw JSONTokenFailure(offset: offset, expected: "a comma or the end of the \(isObject ? "object" : "array")")
        }
        offset += 1
        skipSpace()
        if isObject { try member(&visitor, "a key") } else { visitor.willVisit() }
        break
      }
    }
  }

  /// Reads a key and its colon, up to the value.
  private mutating func member(_ visitor: inout some JSONVisitor, _ expected: String) throws(JSONTokenFailure) {
    let start = offset
    let token = try key(expected)
    do { try visitor.key(token) } catch {
      offset = start
      throw error
    }
    try colon()
    visitor.willVisit()
  }

  @inline(__always)
  mutating func key(_ expected: String) throws(JSONTokenFailure) -> JSONStringToken {
    guard byte == UInt8(ascii: "\"") else { throw JSONTokenFailure(offset: offset, expected: expected) }
    return try string()
  }

  @inline(__always)
  mutating func colon() throws(JSONTokenFailure) {
    skipSpace()
    guard byte == UInt8(ascii: ":") else { throw JSONTokenFailure(offset: offset, expected: "a colon") }
    offset += 1
    skipSpace()
  }
}

/// For each open container, whether it is an object. A stack of bits, which uses the heap only from the 65th level on.
private struct OpenContainers {
  private let outerDepth: Int
  private var count = 0
  private var bits: UInt64 = 0
  private var full: [UInt64] = []

  init(depth: Int) {
    outerDepth = depth
  }

  /// Whether the innermost container is an object; nil when none is open.
  @inline(__always)
  var top: Bool? { count == 0 ? nil : bits & 1 == 1 }

  mutating func push(isObject: Bool, at offset: Int) throws(JSONTokenFailure) {
    guard outerDepth + count < JSONContainer.greatestDepth else { throw .tooDeep(at: offset) }
    if count != 0, count & 63 == 0 { full.append(bits) }
    bits = bits << 1 | (isObject ? 1 : 0)
    count += 1
  }

  mutating func pop() {
    count -= 1
    bits >>= 1
    if count != 0, count & 63 == 0, let last = full.popLast() { bits = last }
  }
}

extension JSONTokenFailure {
  static func tooDeep(at offset: Int) -> JSONTokenFailure {
    let limit = JSONContainer.greatestDepth
    return JSONTokenFailure(offset: offset, expected: "at most \(limit) objects and arrays within each other", found: "one more")
  }
}

/// Reads a value and keeps nothing: the check that `skip` makes.
struct JSONCheck: JSONVisitor {}

/// Finds the path of the token at which a walk failed. A second walk, so that the first one need not keep paths.
struct JSONPathFinder: JSONVisitor {
  /// The offset at which the first walk stopped.
  let offset: Int
  private(set) var container: JSONContainer?
  private(set) var step: Int
  private var pendingKey: Int?
  /// The next index in each open array; unused for an object.
  private var indexes: [Int] = []

  init(offset: Int, container: JSONContainer?, step: Int) {
    self.offset = offset
    self.container = container
    self.step = step
  }

  mutating func open(_: JSONKind) {
    container = JSONContainer(parent: container, step: step)
    step = JSONStep.none
    indexes.append(0)
  }

  mutating func close() {
    container = container?.parent
    step = JSONStep.none
    indexes.removeLast()
  }

  mutating func key(_ token: JSONStringToken) throws(JSONTokenFailure) {
    guard token.start <= offset else { throw JSONTokenFailure(offset: offset, expected: "") }
    pendingKey = JSONStep.key(token)
  }

  mutating func willVisit() {
    if let key = pendingKey {
      step = key
      pendingKey = nil
    } else if let index = indexes.last {
      step = index
      indexes[indexes.count - 1] += 1
    }
  }

  mutating func didVisit() { step = JSONStep.none }
}
