import HoldfastTransfer

/// What the numbers of a table count.
enum CSVQuantity: String, Sendable {
  case weight, reps, distance, seconds, duration
  case rpe = "RPE"
}

/// What the signs are for in the numbers of a table.
///
/// The other numbers of the same quantity say it: a program may write weights as the language does, and distances always with a point.
/// Where none of them says it, and those of the rest of the table are against the letters, nobody knows.
struct CSVSigns: Sendable {
  /// Of all numbers.
  private(set) var all: CSVEvidence
  private var quantities: [CSVQuantity: CSVEvidence] = [:]

  init(_ file: CSVTable) { all = CSVEvidence(commaParts: file.delimiter == UInt8(ascii: ",")) }

  /// Takes the number of a cell as evidence; anything else is none.
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

/// What the signs in some numbers are for: the decimal's, or thousands'.
///
/// A number with one sign and three digits behind it, as `1.500` and `1,500`, says nothing itself. The other numbers decide: where
/// some have the same sign for the decimal, and none the other one, it is the decimal's; where it is the other way round, it groups
/// thousands if they are of the same quantity; where both are, nobody knows. Without another such number it is read by its letters: a point
/// is the decimal's, and so is a comma that does not also part the cells.
struct CSVEvidence: Sendable {
  /// What the sign in a number does.
  enum Use { case decimal, groups, doubtful }

  /// Whether cells stand between commas.
  var commaParts: Bool
  /// Whether a number was seen whose comma can only be the decimal's.
  private(set) var hasDecimalComma = false
  /// Whether a number was seen whose point can only be the decimal's.
  private(set) var hasDecimalPoint = false

  /// Whether it is of numbers of other quantities, which multiply none by a thousand.
  private var isOfOthers = false

  /// The same, for the numbers of another quantity.
  fileprivate var ofOthers: CSVEvidence {
    var evidence = self
    evidence.isOfOthers = true
    return evidence
  }

  /// None but the letters, of what no comma parts.
  static let letters = CSVEvidence(commaParts: false)

  init(commaParts: Bool) { self.commaParts = commaParts }

  /// Takes the number of a cell as evidence; anything else is none.
  fileprivate mutating func see(_ written: String) {
    let letters = written.filter { !$0.isWhitespace }
    guard letters.utf8.allSatisfy({ "0123456789.,-+".utf8.contains($0) }), !Self.isOpen(letters) else { return }
    let signs = letters.filter { ".,".contains($0) }
    guard let last = signs.last, signs.filter({ $0 == last }).count == 1 else { return }
    if last == "," { hasDecimalComma = true } else { hasDecimalPoint = true }
  }

  /// What the last sign of a number does.
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

  /// What is told of a number whose sign groups thousands.
  static let groups = "a sign before three digits was read as thousands, because other numbers have the other sign for decimals"
  /// What is told of a number that is left out because nobody knows what its sign does.
  static let doubt = "may have thousands or decimals, and the file does not say which"

  /// Whether this is a number whose one sign might be either.
  static func isOpen(_ written: String) -> Bool {
    // Most numbers have no sign, and all of a table are asked.
    guard written.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) else { return false }
    let letters = written.filter { !$0.isWhitespace }
    let parts = letters.drop { "-+".contains($0) }.split(omittingEmptySubsequences: false) { ".,".contains($0) }
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return false }
    return 1...3 ~= parts[0].count && parts[1].count == 3 && parts[0].contains { $0 != "0" }
  }
}
