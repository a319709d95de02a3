import Foundation
import Holdfast
import HoldfastTransfer

/// The secrets that stand as they are in one of the SDK's databases: the key of the API is sealed when it comes in, and none is kept
/// anywhere else.
///
/// Secret is what stands under a name that `SecretProperties` knows: as a member of JSON in any column of any table, also where the JSON
/// around it is damaged, and as a column or a preference of such a name; and what lets one in in an address. Where such a text that is long
/// enough, and no id, stands anywhere else in the file it is secret, too: rows were stored from memory that was not theirs any more. What
/// people wrote is read as JSON only where it begins as JSON does; see `SecretPlace`.
struct LegacySecrets: Sendable {
  /// As the file spells them: the names under which there is one.
  private var names: Set<ArraySlice<UInt8>> = []
  private var needles = ByteNeedles([])
  private var texts: [Data] = []
  /// Whether no row has one. Pages that SQLite has freed may.
  let isEmpty: Bool

  /// - Throws: what reading a database can throw.
  init(in source: SQLiteSource, _ properties: SecretProperties) throws {
    var search = Search(properties)
    for table in source.tables {
      let secret = search.secretColumns(try source.columns(of: table))
      try source.rows(of: table) { search.read($0, secret) }
    }
    names = search.found
    isEmpty = search.isEmpty
    if !search.texts.isEmpty {
      for table in source.tables {
        let ids = try source.columns(of: table).map(\.asciiLowercased).filter { $0 == "id" || $0.hasSuffix("_id") }
        if !ids.isEmpty { try source.rows(of: table, only: ids) { search.leaveOut($0) } }
      }
    }
    texts = search.texts.map { Data($0) }
    needles = ByteNeedles(texts)
  }

  /// What the kept copy is without. A key that was deleted is in no row, and may be in pages that SQLite has freed and in the log: no copy
  /// has these.
  func blanks(in source: SQLiteSource) -> SQLiteBlanks {
    SQLiteBlanks(isEmpty ? "what was deleted" : "secrets", texts: texts, in: source) { row in found(in: row) }
  }

  /// What a row may have instead, by column; nothing where there is no secret.
  func found(in row: SQLiteRow) -> [String: SQLValue] {
    guard !isEmpty else { return [:] }
    var found: [String: SQLValue] = [:]
    for column in row.columns {
      guard let bytes = Self.bytes(row, column), let left = without(bytes, isWhole: isWhole(column, row)) else { continue }
      if case .text? = row.value(column) {
        found[column] = .text(String(decoding: left, as: UTF8.self))
      } else {
        found[column] = .blob(Data(left))
      }
    }
    return found
  }

  /// The columns of a row in which a secret stands that is not this key of the API under its name.
  func columns(of row: SQLiteRow, withMoreThan key: String?) -> [String] {
    guard !isEmpty else { return [] }
    return row.columns.filter { column in
      guard let bytes = Self.bytes(row, column) else { return false }
      if isWhole(column, row) {
        return without(bytes, isWhole: true) != nil && (!Self.isAPIKey(Array(column.utf8)[...]) || key.map { Array($0.utf8) } != bytes)
      }
      let (rest, places) = SecretPlace.removed(from: bytes, isSecret: { names.contains($0) })
      return !places.allSatisfy { $0.key != nil && $0.key == key } || !needles.ranges(in: rest).isEmpty
    }
  }

  /// Nil where there is nothing to leave out.
  private func without(_ bytes: [UInt8], isWhole: Bool) -> [UInt8]? {
    let isSecret = { (name: ArraySlice<UInt8>) in names.contains(name) }
    if isWhole { return SecretPlace(whole: bytes, isSecret: isSecret)?.replacement }
    let masked = SecretPlace.removed(from: bytes, isSecret: isSecret).bytes
    let left = needles.replacing(in: masked, with: SecretPlace.mask)
    return left == bytes ? nil : left
  }

  private func isWhole(_ column: String, _ row: SQLiteRow) -> Bool {
    names.contains(Array(column.utf8)[...]) || Self.preference(row, column).map { names.contains($0[...]) } == true
  }

  // MARK: Small pieces

  /// Whether a name, as it is spelled, is that of the key of the API.
  static func isAPIKey(_ name: ArraySlice<UInt8>) -> Bool { SecretProperties.plain(text(name)) == "apikey" }

  /// A name as it is meant.
  static func text(_ name: ArraySlice<UInt8>) -> String {
    let text = String(decoding: name, as: UTF8.self)
    guard text.contains("\\"), case .string(let plain)? = JSONValue(json: "\"\(text)\"") else { return text }
    return plain
  }

  /// What is under a name in this column: a preference stands beside its name.
  private static func preference(_ row: SQLiteRow, _ column: String) -> [UInt8]? {
    // Of most columns by the length alone.
    guard [4, 16].contains(column.utf8.count) else { return nil }
    return switch column.lowercased() {
    case "preference_value": bytes(row, "preference_key")
    case "data" where row.table.lowercased() == UserPreference.table: bytes(row, "id")
    default: nil
    }
  }

  /// As it is stored. A number in a column is none.
  private static func bytes(_ row: SQLiteRow, _ column: String) -> [UInt8]? { row.value(column).flatMap { bytes($0) } }

  private static func bytes(_ value: SQLValue) -> [UInt8]? {
    switch value {
    case .text(let text): Array(text.utf8)
    case .blob(let data): Array(data)
    default: nil
    }
  }

  /// The first reading of the whole file: which names, and which texts under them.
  private struct Search {
    let properties: SecretProperties
    var found: Set<ArraySlice<UInt8>> = []
    // Of Data only the beginning is hashed.
    var texts: Set<[UInt8]> = []
    /// Those of them that are keys of the API.
    private var keys: Set<[UInt8]> = []
    private(set) var isEmpty = true
    private var verdicts: [ArraySlice<UInt8>: Bool] = [:]

    init(_ properties: SecretProperties) { self.properties = properties }

    /// Of a table's columns, those whose name is secret, by their places.
    mutating func secretColumns(_ columns: [String]) -> Set<Int> { Set(columns.indices.filter { isSecret(Array(columns[$0].utf8)[...]) }) }

    mutating func read(_ row: SQLiteRow, _ secret: Set<Int>) {
      for (index, column) in row.columns.enumerated() {
        guard let bytes = LegacySecrets.bytes(row.values[index]) else { continue }
        var wholes = secret.contains(index) ? [Array(column.utf8)[...]] : []
        if let name = LegacySecrets.preference(row, column)?[...], isSecret(name) { wholes.append(name) }
        for name in wholes {
          if let place = SecretPlace(whole: bytes, isSecret: { isSecret($0) }) {
            note([place], [name], areKeys: LegacySecrets.isAPIKey(name))
          }
        }
        var names: [ArraySlice<UInt8>] = []
        let places = SecretPlace.removed(from: bytes) { name in
          guard isSecret(name) else { return false }
          names.append(name)
          return true
        }.places
        if !places.isEmpty { note(places, names) }
      }
    }

    private mutating func note(_ places: [SecretPlace], _ names: [ArraySlice<UInt8>], areKeys: Bool = false) {
      isEmpty = false
      for name in names where !found.contains(name) { found.insert(ArraySlice(Array(name))) }
      for place in places {
        let isKey = areKeys || place.key != nil
        for text in place.texts where SecretPlace.isLong(text, isKey: isKey) {
          texts.insert(Array(text))
          if isKey { keys.insert(Array(text)) }
        }
      }
    }

    private mutating func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
      if let known = verdicts[name] { return known }
      let verdict = properties.contains(LegacySecrets.text(name))
      // Names made at run time must not pile up.
      if verdicts.count >= 10_000 { verdicts.removeAll() }
      verdicts[ArraySlice(Array(name))] = verdict
      return verdict
    }

    /// What names a row names it wherever it stands; but of a damaged row it may be a key.
    mutating func leaveOut(_ ids: SQLiteRow) {
      for id in ids.values.compactMap(LegacySecrets.bytes) where !keys.contains(id) { texts.remove(id) }
    }
  }
}
