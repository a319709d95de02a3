internal import Foundation
package import Holdfast

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// Seals the rows of a space, so that the server cannot read them. The formulas: "Sealed spaces" in Documentation/SyncProtocol.md
///
/// - A sealed row is a `SyncRow`: key, columns and values are ciphertexts or pseudonyms, one for one; table, generation and stamps are plain.
///   So servers merge sealed rows, and compute digests, as those of any row.
/// - A living row has a marker among its values: a text that proves the row's generation and birth, where it has no value that does. It is one
///   for all versions of the birth, so they merge into it.
/// - One row has one sealed form: a resend has the same bytes. So the merge of two sealed rows is the sealed merge of both, with one
///   exception: of two values under one stamp the server takes that with the greater ciphertext. Devices do the same: `merged(with:under:)`.
package struct SpaceSeal {
  /// Begins the table's name in every sealed row.
  private static let mark = "sealed:"
  /// The name of the marker. Too short for a pseudonym.
  private static let marker = ExactText("birth")
  private let key: SymmetricKey
  /// For nonces and pseudonyms.
  private let nonceKey: SymmetricKey
  /// Tells one key from another, and says nothing else of it.
  let check: String

  /// - Parameter space: the space's name. What was sealed for one space does not open in another.
  package init(_ key: StoreKey, space: String) {
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key.bytes), salt: Data(space.utf8), info: Data(purpose.utf8), outputByteCount: 32)
    }
    (self.key, nonceKey) = (derived("holdfast sealed space"), derived("holdfast sealed space nonce"))
    check = Self.code(["check"], nonceKey).prefix(16).map { String(format: "%02x", $0) }.joined()
  }

  // MARK: Rows

  package func sealed(_ row: SyncRow) throws -> SyncRow {
    let (table, key) = (row.name.table.text, row.name.key.text)
    let name = SyncRow.Name(Self.mark + table, try sealed(key, in: ["key", table]))
    guard row.isAlive else { return SyncRow(name, generation: row.generation, forgets: row.forgets) }
    func value(_ column: ExactText, _ value: ExactText, _ group: String, _ stamp: Stamp) throws -> ExactText {
      ExactText("\"\(try sealed("\(column.text),\(value.text)", in: Self.place(row.name, row.generation, group, stamp)))\"")
    }
    let marker = try sealed("", in: Self.place(row.name, row.generation, birth: row.birth))
    var values: RowValues = [Self.marker: ExactText("\"\(marker)\"")]
    for (column, own) in row.values {
      let group = group([column], of: row.name)
      values[ExactText(group)] = try value(column, own, group, row.birth)
    }
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    for (columns, exception) in row.exceptions {
      let columns = SyncRow.columns(of: columns)
      let group = group(columns, of: row.name)
      exceptions[ExactText(group)] = SyncRow.Exception(
        exception.stamp, try zip(columns, exception.values).map { try value($0, $1, group, exception.stamp) })
    }
    return SyncRow(name, generation: row.generation, birth: row.birth, values: values, exceptions: exceptions)
  }

  /// - Throws: `.notSealed` for a plain row; `.wrongKey`, also for what was sealed for another row, birth or group; `.inputOutput` for what another
  ///   program has sealed and is no row.
  package func opened(_ row: SyncRow) throws -> SyncRow {
    let name = try opened(row.name)
    guard row.isAlive else { return SyncRow(name, generation: row.generation, forgets: row.forgets) }
    func plain(_ value: ExactText, in place: [String]) throws -> String { try opened(value.text.filter { $0 != "\"" }, in: place) }
    /// The columns and values of a group. They must be those of its name: a value opens anywhere in its group, so a server could repeat one.
    func members(of group: ExactText, _ texts: [ExactText], _ stamp: Stamp) throws -> (columns: [ExactText], values: [ExactText]) {
      let place = Self.place(name, row.generation, group.text, stamp)
      let pairs = try texts.map { text in
        let parts = try plain(text, in: place).utf8.split(separator: UInt8(ascii: ","), maxSplits: 1).map {
          String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 2, SyncRow.isName(parts[0]), let value = SyncValue.value(of: ExactText(parts[1])) else {
          throw StoreError(.inputOutput, "a sealed value of \(name.table.text) is none of SQLite's")
        }
        return (column: ExactText(parts[0]), value: SyncValue.text(of: value))
      }
      let columns = pairs.map(\.column)
      guard self.group(columns, of: name) == group.text else { throw Self.wrongKey }
      return (columns, pairs.map(\.value))
    }
    guard let marker = row.values[Self.marker] else { throw Self.wrongKey }
    _ = try plain(marker, in: Self.place(name, row.generation, birth: row.birth))
    var values: RowValues = [:]
    for (group, text) in row.values where group != Self.marker {
      let opened = try members(of: group, [text], row.birth)
      for (column, value) in zip(opened.columns, opened.values) { values[column] = value }
    }
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    for (group, exception) in row.exceptions {
      let opened = try members(of: group, exception.values, exception.stamp)
      exceptions[ExactText(opened.columns.map(\.text).joined(separator: ","))] = SyncRow.Exception(exception.stamp, opened.values)
    }
    return SyncRow(name, generation: row.generation, birth: row.birth, values: values, exceptions: exceptions)
  }

  fileprivate func opened(_ name: SyncRow.Name) throws -> SyncRow.Name {
    guard Self.isSealed(name) else { throw Self.notSealed }
    let table = Self.table(of: name)
    return SyncRow.Name(table, try opened(name.key.text, in: ["key", table]))
  }

  /// The plain name of the table, also of a plain row.
  static func table(of name: SyncRow.Name) -> String { String(name.table.text.dropFirst(isSealed(name) ? mark.count : 0)) }

  static func isSealed(_ name: SyncRow.Name) -> Bool { name.table.text.utf8.starts(with: mark.utf8) }

  /// The name of a group in the sealed row: the pseudonyms of its columns.
  private func group(_ columns: [ExactText], of row: SyncRow.Name) -> String {
    columns.map { Self.code(["column", row.table.text, row.key.text, $0.text], nonceKey).prefix(9).base64EncodedString() }
      .joined(separator: ",")
  }

  /// Where a value stands. Bound to its ciphertext, so that a server cannot give it to another row, group or time.
  private static func place(_ name: SyncRow.Name, _ generation: Int64, _ group: String, _ stamp: Stamp) -> [String] {
    ["value", name.table.text, name.key.text, "\(generation)", group, stamp.text]
  }

  /// Where the marker stands.
  private static func place(_ name: SyncRow.Name, _ generation: Int64, birth: Stamp) -> [String] {
    ["birth", name.table.text, name.key.text, "\(generation)", birth.text]
  }

  // MARK: Texts

  private func sealed(_ text: String, in place: [String]) throws -> String {
    let nonce = try ChaChaPoly.Nonce(data: Self.code(place + [text], nonceKey).prefix(12))
    return try ChaChaPoly.seal(Data(text.utf8), using: key, nonce: nonce, authenticating: Self.delimited(place)).combined
      .base64EncodedString()
  }

  private func opened(_ text: String, in place: [String]) throws -> String {
    guard let bytes = Data(base64Encoded: text), let box = try? ChaChaPoly.SealedBox(combined: bytes),
      let plain = try? ChaChaPoly.open(box, using: key, authenticating: Self.delimited(place))
    else { throw Self.wrongKey }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func code(_ parts: [String], _ key: SymmetricKey) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: delimited(parts), using: key))
  }

  /// Each text behind its length, so that no two lists give the same bytes.
  private static func delimited(_ parts: [String]) -> Data {
    parts.reduce(into: Data()) { bytes, part in
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part.utf8)
    }
  }

  // MARK: Errors

  static let wrongKey = StoreError(
    .wrongKey, "the space is sealed with another key",
    suggestion: "Give this device the key that the other devices have, or move to a new space; nothing was changed.")
  static let keyNeeded = StoreError(
    .keyNeeded, "the space is sealed, and no key was given",
    suggestion: "Give StoreSync.Server the key that the other devices have; in a terminal, set HOLDFAST_SYNC_KEY.")
  static let notSealed = StoreError(
    .notSealed, "the space is not sealed, and a key was given",
    suggestion: "Sync without a key. Or disconnect the store, and connect it to a new space with the key.")
}

extension SyncRow {
  /// The row that a device makes of both, which is that of the server: where the space is sealed, of two values under one stamp the one with the
  /// greater ciphertext.
  func merged(with other: SyncRow, under seal: SpaceSeal?) throws -> SyncRow {
    guard let seal, hasTie(with: other) else { return merged(with: other) }
    return try seal.opened(seal.sealed(self).merged(with: seal.sealed(other)))
  }

  private func hasTie(with other: SyncRow) -> Bool {
    guard isAlive, generation == other.generation else { return false }
    return birth == other.birth && values.contains { column, value in value != other.values[column] ?? value }
      || exceptions.contains { group, exception in
        other.exceptions[group].map { $0.stamp == exception.stamp && $0.values != exception.values } ?? false
      }
  }
}

extension SyncResponse {
  /// The answer with plain rows.
  ///
  /// A row that does not open ends it: no row is left out without a word, and a later answer brings it again. The error names its table and push.
  ///
  /// - Throws: `.keyNeeded` for a sealed row without a seal. Where no row opens, as `SpaceSeal.opened`; where others do, so that the key is right,
  ///   `.verificationFailed`.
  package func opened(by seal: SpaceSeal?) throws -> SyncResponse {
    func opened(_ rows: [Stored]) throws -> [Stored] {
      guard let seal else {
        guard !rows.contains(where: { SpaceSeal.isSealed($0.row.name) }) else { throw SpaceSeal.keyNeeded }
        return rows
      }
      return try rows.map { stored in
        do {
          return Stored(try seal.opened(stored.row), at: stored.sequence)
        } catch let error as StoreError {
          throw error.ofRow(stored, othersOpen: rows.contains { (try? seal.opened($0.row)) != nil })
        }
      }
    }
    var plain = self
    switch outcome {
    case .page(let rows, let cursor, let more): plain.outcome = .page(try opened(rows), cursor: cursor, more: more)
    case .pushed(let rows, let refused, let cursor):
      let refused = try refused.map { Refused(try seal?.opened($0.name) ?? $0.name, $0.code) }
      plain.outcome = .pushed(try opened(rows), refused: refused, cursor: cursor)
    case .branched, .future, .oldSchema, .failed: break
    }
    return plain
  }
}

extension StoreError {
  /// This error of opening a row, with the row's table and push.
  ///
  /// - Parameter othersOpen: whether other rows of the answer open.
  fileprivate func ofRow(_ stored: SyncResponse.Stored, othersOpen: Bool) -> StoreError {
    let row = "a row of \(SpaceSeal.table(of: stored.row.name)), of push \(stored.sequence), does not open"
    guard othersOpen else { return StoreError(code, "\(message): \(row)", suggestion: suggestion) }
    return StoreError(
      .verificationFailed, "\(row), and other rows do: the server has changed it, or another device has sealed it with another key",
      suggestion: "Move the devices to a new space, with what each of them has; nothing was changed.", cause: self)
  }
}
