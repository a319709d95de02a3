internal import Holdfast

/// A row as one line of canonical JSON: the form in which rows travel, and in which a server keeps them. Equal rows have lines with equal bytes.
///
/// ```
/// {"g":1,"h":"0AB…","k":"7f0c…","t":"books","v":{"title":"Emma","year":1815},"x":{"rating,rated_at":["0AC…",5,1764000000000]}}
/// {"g":2,"k":"7f0c…","t":"books"}
/// {"f":true,"g":2,"k":"7f0c…","t":"books"}
/// ```
/// `t` is the table, `k` the key as text, `g` the generation, `h` the birth's stamp, `v` its values, `x` the exceptions: of each group of columns
/// the stamp and a value for each column. Keys are sorted; an empty `v` or `x` is left out; a deleted row has nothing but `g`, `k` and `t`, and `f` where it
/// was purged. In a server's answers `q` is the row's sequence number.
extension SyncRow {
  /// The largest generation that travels: many programs read JSON's numbers as doubles.
  package static let largestGeneration: Int64 = 1 << 53

  /// The row as its line, without a line break.
  package var line: String { line(at: nil) }

  /// - Parameter sequence: the number of the push that changed the row last, for `q`; nil leaves it out.
  func line(at sequence: Int64?) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(256)
    text += forgets ? "{\"f\":true,\"g\":".utf8 : "{\"g\":".utf8
    text += generation.description.utf8
    if isAlive {
      text += ",\"h\":\"".utf8
      text += birth.text.utf8
      text.append(UInt8(ascii: "\""))
    }
    text += ",\"k\":".utf8
    Self.quote(name.key, into: &text)
    if let sequence {
      text += ",\"q\":".utf8
      text += sequence.description.utf8
    }
    text += ",\"t\":".utf8
    Self.quote(name.table, into: &text)
    Self.write(values, as: ",\"v\":", into: &text) { value, text in text += value.text.utf8 }
    Self.write(exceptions.sorted { $0.key < $1.key }, as: ",\"x\":", into: &text) { exception, text in
      text += "[\"".utf8
      text += exception.stamp.text.utf8
      text.append(UInt8(ascii: "\""))
      for value in exception.values {
        text.append(UInt8(ascii: ","))
        text += value.text.utf8
      }
      text.append(UInt8(ascii: "]"))
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func quote(_ name: ExactText, into text: inout [UInt8]) {
    guard name.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
      text += JSONValue.string(name.text).canonicalText().utf8
      return
    }
    text.append(UInt8(ascii: "\""))
    text += name.text.utf8
    text.append(UInt8(ascii: "\""))
  }

  /// A stored line with its row's sequence number, as `line(at:)` makes it of the row. The line is not read: its bytes are copied.
  ///
  /// Nil for a line that does not begin as one of the row `name`.
  package static func line(_ line: String, of name: Name, at sequence: Int64) -> String? {
    var names = Array(",\"k\":".utf8)
    let mark = names
    quote(name.key, into: &names)
    let length = names.count
    names += ",\"t\":".utf8
    quote(name.table, into: &names)
    var line = line
    return line.withUTF8 { bytes in
      // A quotation mark within a text is escaped, so the first member `k` is the row's own.
      guard bytes.starts(with: "{\"".utf8), bytes.last == UInt8(ascii: "}"),
        let start = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ",") && bytes[$0...].starts(with: mark) }),
        bytes[start...].starts(with: names)
      else { return nil }
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count + 26)
      text += bytes[..<(start + length)]
      text += ",\"q\":".utf8
      text += sequence.description.utf8
      text += bytes[(start + length)...]
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// An object behind its name, of members in order; nothing where there are none.
  private static func write<T>(
    _ members: some Collection<(key: ExactText, value: T)>, as name: String, into text: inout [UInt8],
    _ write: (T, inout [UInt8]) -> Void
  ) {
    guard !members.isEmpty else { return }
    text += name.utf8
    var mark = UInt8(ascii: "{")
    for (name, member) in members {
      text.append(mark)
      mark = UInt8(ascii: ",")
      quote(name, into: &text)
      text.append(UInt8(ascii: ":"))
      write(member, &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  // MARK: Digest

  /// What a row with this line adds to the digest of its space: the first 8 bytes of the line's SHA-256, as a big-endian number. The digest is
  /// the sum over all rows, without what exceeds 64 bits.
  package static func digest(ofLine line: String) -> UInt64 {
    withUnsafeBytes(of: SHA256Hex.leading16(of: line)) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  // MARK: Reading

  /// Reads a line in any form of JSON, and brings it into the canonical one: order, white space, spelling of values, exceptions that are not
  /// later than the birth. No input traps.
  ///
  /// - Throws: `.invalidSource` for a line that is not exactly a row: an unknown member, a key twice, a deleted row with values, a living one
  ///   without a stamp or with `f`, an `f` that is not true, a value that is none of SQLite's, a number of values that is not the group's number of columns.
  package init(line: String) throws {
    let (row, sequence) = try Self.read(line.utf8)
    guard sequence == nil else { throw WireObject.wrong("it has a sequence number") }
    self = row
  }

  static func read(_ line: some Sequence<UInt8>) throws -> (row: SyncRow, sequence: Int64?) {
    if let read = line.withContiguousStorageIfAvailable(CanonicalLine.read) ?? nil { return read }
    return try readAny(line)
  }

  /// Reads a line in any form of JSON.
  static func readAny(_ line: some Sequence<UInt8>) throws -> (row: SyncRow, sequence: Int64?) {
    var object = try WireObject(line)
    let table = try WireObject.required("t", object.text("t"))
    guard isName(table) else { throw WireObject.wrong("\"t\" is not the name of a table") }
    let name = Name(table, try WireObject.required("k", object.text("k")))
    let generation = try WireObject.required("g", object.number("g", in: 1...largestGeneration))
    let sequence = try object.number("q", in: 1...Int64.max)
    let (birth, values, exceptions) = (try object.text("h"), try object.object("v"), try object.object("x"))
    let forgets = try object.flag("f")
    try object.finish()
    guard forgets == nil || forgets == true && generation & 1 == 0 else {
      throw WireObject.wrong("\"f\" is only true, and only of a deleted row")
    }
    guard generation & 1 == 1 else {
      guard birth == nil, values == nil, exceptions == nil else {
        throw WireObject.wrong("a row of an even generation is deleted, and has neither a stamp nor values")
      }
      return (SyncRow(name, generation: generation, forgets: forgets == true), sequence)
    }
    let row = SyncRow(
      name, generation: generation, birth: try stamp(birth.map(JSONValue.string), of: "\"h\""),
      values: RowValues(
        try keyed(values) { column, value in
          guard isName(column) else { throw WireObject.wrong("\"v\" has a key that is not the name of a column") }
          return try text(of: value, in: column)
        }),
      exceptions: Dictionary(uniqueKeysWithValues: try keyed(exceptions, exception)))
    return (row, sequence)
  }

  /// Reads the members by name in ascending order. So a line with several errors always gives the same one.
  private static func keyed<T>(_ members: [String: JSONValue]?, _ read: (String, JSONValue) throws -> T) throws -> [(ExactText, T)] {
    try (members ?? [:]).sorted { $0.key < $1.key }.map { (ExactText($0.key), try read($0.key, $0.value)) }
  }

  private static func exception(_ group: String, _ value: JSONValue) throws -> Exception {
    let columns = columns(of: ExactText(group))
    guard columns.allSatisfy({ isName($0.text) }), Set(columns).count == columns.count else {
      throw WireObject.wrong("\"x\" has a key that is not a list of columns")
    }
    guard case .array(let elements) = value, elements.count == columns.count + 1 else {
      throw WireObject.wrong("the exception of \(group) is not a list of a stamp and \(columns.count) values")
    }
    let values = try zip(columns, elements.dropFirst()).map { column, value in try text(of: value, in: column.text) }
    return Exception(try stamp(elements.first, of: group), values)
  }

  private static func stamp(_ value: JSONValue?, of owner: String) throws -> Stamp {
    guard case .string(let text)? = value, let stamp = Stamp(text) else { throw WireObject.wrong("the stamp of \(owner) is none") }
    return stamp
  }

  private static func text(of json: JSONValue, in column: String) throws -> ExactText {
    guard let value = SyncValue.value(of: json) else { throw WireObject.wrong("the value of \(column) is none of SQLite's") }
    return SyncValue.text(of: value)
  }

  /// Printable ASCII without the comma, which separates the columns of a group, and without the quotation mark.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
  }
}
