import Foundation
internal import GRDBSQLite

/// The columns of a record that says itself once, as `Codable`: their names, their kinds, and which coding key stands where.
///
/// Found by decoding a blank record once per type, then kept for ever.
final class DerivedColumns: @unchecked Sendable {
  let names: [String]
  /// JSON where the blank record did not tell.
  let kinds: [ColumnKind]
  /// The place of a coding key, by its string.
  private let places: [String: Int32]
  /// The type of the coding keys, and their places by their tag: the one byte of an enum without values. -1: no such key.
  private let keys: ObjectIdentifier?
  private let tags: UnsafeMutablePointer<Int32>

  private init(_ found: BlankRecord) throws {
    names = found.keys.map { ColumnName.of($0.name) }
    kinds = found.keys.map { $0.kind ?? .json }
    if let twice = Dictionary(grouping: names, by: \.self).first(where: { $1.count > 1 })?.key {
      throw StoreError(.misuse, "two of its properties have the column \(twice)")
    }
    places = Dictionary(uniqueKeysWithValues: found.keys.enumerated().map { ($1.name, Int32($0)) })
    keys = found.keyType
    tags = .allocate(capacity: 256)
    tags.initialize(repeating: -1, count: 256)
    for (place, key) in found.keys.enumerated() { if let tag = key.tag { tags[Int(tag)] = Int32(place) } }
  }

  deinit { tags.deallocate() }

  /// The places by tag, for keys of this type; nil for keys of another.
  @inline(__always)
  func places<Key: CodingKey>(of type: Key.Type) -> UnsafePointer<Int32>? {
    keys == ObjectIdentifier(type) && MemoryLayout<Key>.size <= 1 ? UnsafePointer(tags) : nil
  }

  /// The kind of a column; nil for a place that is none.
  func kind(at place: Int) -> ColumnKind? { kinds.indices.contains(place) ? kinds[place] : nil }

  /// The place of any key; nil when the blank record did not ask for it.
  func place(of key: some CodingKey) -> Int32? { places[key.stringValue] }

  /// All keys that a type of keys can name.
  func all<Key: CodingKey>(_: Key.Type) -> [Key] { places.keys.compactMap(Key.init(stringValue:)) }

  /// The columns of a type. Throws `.misuse` with the reason when they cannot be derived.
  static func of<Record: Codable>(_ type: Record.Type) throws -> DerivedColumns {
    let key = ObjectIdentifier(type)
    if let found = known.with({ $0[key] }) { return try found.get() }
    let result: Result<DerivedColumns, StoreError>
    do {
      let blank = BlankRecord()
      _ = try Record(from: blank)
      result = .success(try DerivedColumns(blank))
    } catch {
      let reason = (error as? StoreError)?.message ?? BlankRecord.reason(error)
      result = .failure(
        StoreError(
          .misuse, "the columns of \(type) cannot be derived from Codable: \(reason)",
          suggestion: "Make the property optional or its enum CaseIterable, or write columns, init(row:) and encode(into:)."))
    }
    let first = known.with { found in
      // The first one stays: others hold its places.
      let first = found[key] ?? result
      found[key] = first
      return first
    }
    return try first.get()
  }

  /// The same for any record; nil for one that does not derive its columns. A derived one has been asked for them by now.
  static func found(of type: any StoredRecord.Type) -> DerivedColumns? { try? known.with { $0[ObjectIdentifier(type)] }?.get() }

  private static let known = Locked<[ObjectIdentifier: Result<DerivedColumns, StoreError>]>([:])
}

/// Names of columns and tables.
package enum ColumnName {
  /// A name as SQL text. A word of SQL, such as `order`, stands in backticks: in double quotes SQLite takes a missing column for a text.
  static func sql(_ name: String) -> String {
    sqlite3_keyword_check(name, Int32(clamping: name.utf8.count)) != 0 ? "`\(name)`" : name
  }

  /// The name as SQLite compares it: without case in ASCII alone, and byte by byte.
  static func folded(_ name: String) -> ExactText { ExactText(name.asciiLowercased) }

  /// The name in a text of SQL that may have it in quotes.
  static func bare(_ text: String) -> String {
    guard text.count > 2, let first = text.first, let last = text.last, ["\"\"", "``", "[]"].contains("\(first)\(last)") else {
      return text
    }
    return String(text.dropFirst().dropLast())
  }

  /// The column of a coding key: `dueAt` is `due_at`, `collectionID` is `collection_id`, `parsedJSONText` is `parsed_json_text`.
  package static func of(_ key: String) -> String {
    let letters = Array(key)
    var name = ""
    for (place, letter) in letters.enumerated() {
      guard letter.isUppercase else {
        name.append(letter)
        continue
      }
      let before = place > 0 ? letters[place - 1] : "_"
      let endsCapitals = before.isUppercase && place + 1 < letters.count && letters[place + 1].isLowercase
      if before != "_", !before.isUppercase || endsCapitals { name.append("_") }
      name.append(letter.lowercased())
    }
    return name
  }
}

/// The byte of a coding key that tells it from the others of its type; nil where keys are larger.
@inline(__always)
func tag<Key: CodingKey>(of key: Key) -> UInt8? {
  guard MemoryLayout<Key>.size <= 1 else { return nil }
  return MemoryLayout<Key>.size == 0 ? 0 : withUnsafeBytes(of: key) { $0.load(as: UInt8.self) }
}

/// A value whose type is known to be another name of `Wanted`: the caller has compared the two.
@inline(__always)
func same<Value, Wanted>(_ value: Value, as _: Wanted.Type) -> Wanted {
  withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: Wanted.self).pointee }
}
