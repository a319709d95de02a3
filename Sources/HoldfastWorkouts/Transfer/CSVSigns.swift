import Foundation
import HoldfastTransfer

/// The quantity of a table's number.
enum CSVQuantity: String, Sendable {
  case weight, reps, distance, seconds, duration
  case rpe = "RPE"
}

/// The meaning of the signs `,` and `.` in the numbers of a table.
///
/// Other numbers of the same quantity decide: a program may write weights in the form of the language, and distances always
/// with a point. If they do not decide, and the rest of the table contradicts the text, the number is doubtful.
struct CSVSigns: Sendable {
  /// The evidence of all numbers.
  private(set) var all: CSVEvidence
  private var quantities: [CSVQuantity: CSVEvidence] = [:]

  init(_ file: CSVTable) { all = CSVEvidence(commaParts: file.delimiter == UInt8(ascii: ",")) }

  /// Takes a cell's number as evidence; ignores other cells.
  mutating func see(_ written: String, of quantity: CSVQuantity) {
    guard written.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }), let number = CSVNumber(written, .letters),
      number.whole != nil || quantity != .reps && quantity != .seconds
    else { return }
    all.see(written)
    quantities[quantity, default: CSVEvidence(commaParts: all.commaParts)].see(written)
  }

  subscript(quantity: CSVQuantity) -> CSVEvidence {
    guard let own = quantities[quantity], own.hasDecimalComma || own.hasDecimalPoint else { return all.ofOthers }
    return own
  }
}

/// What the signs in some numbers mean: decimals or thousands.
///
/// A number with one sign and three digits after it, as `1.500` and `1,500`, is open. Other numbers decide it. If some use the
/// same sign for decimals and none the other sign, it is a decimal sign. If only the other sign is used for decimals, it groups
/// thousands, when these numbers are of the same quantity. If both signs are used, the number is doubtful. Without other
/// numbers, a point is a decimal sign, and so is a comma, unless commas also separate the cells.
struct CSVEvidence: Sendable {
  enum Use { case decimal, groups, doubtful }

  /// Whether commas separate the cells.
  var commaParts: Bool
  /// Whether the table has a number whose comma must be a decimal sign.
  private(set) var hasDecimalComma = false
  /// Whether the table has a number whose point must be a decimal sign.
  private(set) var hasDecimalPoint = false

  /// Whether the evidence is from other quantities. Then no number is multiplied by a thousand.
  private var isOfOthers = false

  /// The same evidence, for the numbers of another quantity.
  fileprivate var ofOthers: CSVEvidence {
    var evidence = self
    evidence.isOfOthers = true
    return evidence
  }

  /// No evidence; commas do not separate cells.
  static let letters = CSVEvidence(commaParts: false)

  init(commaParts: Bool) { self.commaParts = commaParts }

  /// Takes a cell's number as evidence; ignores other cells.
  fileprivate mutating func see(_ written: String) {
    let letters = written.withoutBlanks.utf8
    guard letters.allSatisfy({ "0123456789.,-+".utf8.contains($0) }), !Self.isOpen(written) else { return }
    let signs = letters.filter { ".,".utf8.contains($0) }
    guard let last = signs.last, signs.filter({ $0 == last }).count == 1 else { return }
    if last == UInt8(ascii: ",") { hasDecimalComma = true } else { hasDecimalPoint = true }
  }

  /// What the last sign of a number means.
  func use(in written: String) -> Use {
    guard Self.isOpen(written) else { return .decimal }
    let isComma = written.contains(",")
    switch isComma ? (hasDecimalComma, hasDecimalPoint) : (hasDecimalPoint, hasDecimalComma) {
    case (true, true): return .doubtful
    case (true, false): return .decimal
    case (false, true): return isOfOthers ? .doubtful : .groups
    case (false, false): return isComma && commaParts ? .doubtful : .decimal
    }
  }

  /// The remark about numbers whose sign groups thousands.
  static let groups = "a sign before three digits was read as thousands, because other numbers have the other sign for decimals"
  /// The reason reported for a number that is left out because its sign is doubtful.
  static let doubt = "may have thousands or decimals, and the file does not say which"

  /// Whether the one sign of this number may mean either.
  static func isOpen(_ written: String) -> Bool {
    // Checked first, because every cell of a table comes here, and most have no sign.
    guard written.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) else { return false }
    let letters = written.withoutBlanks.utf8.drop { "-+".utf8.contains($0) }
    let whole = letters.prefix { 0x30...0x39 ~= $0 }
    let part = letters[whole.endIndex...].dropFirst()
    guard 1...3 ~= whole.count, part.count == 3, part.allSatisfy({ 0x30...0x39 ~= $0 }) else { return false }
    return ".,".utf8.contains(letters[whole.endIndex]) && whole.contains { $0 != UInt8(ascii: "0") }
  }
}

/// The signs in the numbers of a table, from one reading for both scans.
final class SeenSigns: @unchecked Sendable {
  // Guarded by `lock`.
  private var signs: CSVSigns?
  private let lock = NSLock()

  func value(_ read: () throws -> CSVSigns) rethrows -> CSVSigns {
    try lock.withLock {
      let found = try signs ?? read()
      signs = found
      return found
    }
  }
}

extension String {
  /// The text without white space.
  var withoutBlanks: String {
    guard utf8.allSatisfy({ $0 < 0x80 }) else { return filter { !$0.isWhitespace } }
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte }
    return utf8.contains(where: isBlank) ? String(decoding: utf8.filter { !isBlank($0) }, as: UTF8.self) : self
  }
}
