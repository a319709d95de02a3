/// A statement with its parameters, which are sent beside it in PostgreSQL's binary form.
struct PostgresStatement: Sendable {
  enum Parameter: Sendable {
    case text(String)
    case bytes([UInt8])
    case number(Int64)
    case texts([String])
    case byteStrings([[UInt8]])
    case numbers([Int64])
    case null
  }

  let sql: String
  let parameters: [Parameter]

  init(_ sql: String, _ parameters: [Parameter]) { (self.sql, self.parameters) = (sql, parameters) }

  init(_ sql: String, _ parameters: Parameter...) { self.init(sql, parameters) }

  static let commit = PostgresStatement("COMMIT")
  static let rollback = PostgresStatement("ROLLBACK")
}

extension PostgresStatement.Parameter {
  /// PostgreSQL's number of the type.
  var type: UInt32 {
    switch self {
    case .text, .null: 25
    case .bytes: 17
    case .number: 20
    case .texts: 1009
    case .byteStrings: 1001
    case .numbers: 1016
    }
  }

  /// Nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .number(let number): Self.bigEndian(number)
    case .texts(let texts): Self.array(texts.map(\.utf8), of: 25)
    case .byteStrings(let strings): Self.array(strings, of: 17)
    case .numbers(let numbers): Self.array(numbers.map(Self.bigEndian), of: 20)
    case .null: nil
    }
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  /// One dimension that begins at 1, without NULL; of each element its size and its bytes.
  private static func array(_ elements: [some Collection<UInt8>], of type: Int32) -> [UInt8] {
    let head = [elements.isEmpty ? 0 : 1, 0, type] + (elements.isEmpty ? [] : [Int32(clamping: elements.count), 1])
    var bytes = head.flatMap(bigEndian)
    bytes.reserveCapacity(bytes.count + elements.reduce(0) { $0 + 4 + $1.count })
    for element in elements {
      bytes += bigEndian(Int32(clamping: element.count))
      bytes += element
    }
    return bytes
  }
}
