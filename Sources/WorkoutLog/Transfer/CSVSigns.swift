/// What the signs in the numbers of a file are for: the decimal's, or thousands'.
///
/// A number with one sign and three digits behind it, as `1.500` and `1,500`, says nothing itself. The other numbers of the file decide: where
/// some have the same sign for the decimal, and none the other one, it is the decimal's; where it is the other way round, it groups thousands;
/// where both are, nobody knows. A file without another such number is read by its letters: a point is the decimal's, and so is a comma that
/// does not also part the cells.
struct CSVSigns: Sendable {
  /// What the sign in a number does.
  enum Use { case decimal, groups, doubtful }

  /// Whether cells stand between commas.
  var commaParts: Bool
  /// Whether a number was seen whose comma can only be the decimal's.
  private(set) var hasDecimalComma = false
  /// Whether a number was seen whose point can only be the decimal's.
  private(set) var hasDecimalPoint = false

  /// Of what is written as a duration.
  static let duration = CSVSigns(commaParts: false)

  init(commaParts: Bool) { self.commaParts = commaParts }

  /// Takes the number of a cell as evidence; anything else is none.
  mutating func see(_ written: String) {
    let letters = written.filter { !$0.isWhitespace }
    guard letters.utf8.allSatisfy({ "0123456789.,-+".utf8.contains($0) }), !Self.isOpen(letters) else { return }
    let signs = letters.filter { ".,".contains($0) }
    guard let last = signs.last, signs.filter({ $0 == last }).count == 1 else { return }
    if last == "," { hasDecimalComma = true } else { hasDecimalPoint = true }
  }

  /// What the last sign among these letters does.
  func use(in letters: String) -> Use {
    guard Self.isOpen(letters) else { return .decimal }
    let isComma = letters.contains(",")
    switch isComma ? (hasDecimalComma, hasDecimalPoint) : (hasDecimalPoint, hasDecimalComma) {
    case (true, true): return .doubtful
    case (true, false): return .decimal
    case (false, true): return .groups
    case (false, false): return isComma && commaParts ? .doubtful : .decimal
    }
  }

  /// Whether this is a number whose one sign might be either.
  static func isOpen(_ letters: String) -> Bool {
    let parts = letters.drop { "-+".contains($0) }.split(omittingEmptySubsequences: false) { ".,".contains($0) }
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return false }
    return 1...3 ~= parts[0].count && parts[1].count == 3 && parts[0].contains { $0 != "0" }
  }
}
