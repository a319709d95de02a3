// Classifies characters for full-text search. `unicode61` treats letters and numbers as parts of words, and all other characters as gaps.

extension SearchText {
  enum Kind {
    /// A letter of a script without spaces, which is split into pairs.
    case unspaced
    /// A letter or number of any other script.
    case word
    /// A combining mark: part of a word, dropped from an unspaced run.
    case mark
    /// Dropped everywhere: marks of scripts without spaces, and invisible characters that people do not type.
    case ignored
    /// Ends a piece of a word.
    case separator
    /// Ends a word.
    case wordBreak
  }

  static func kind(of scalar: Unicode.Scalar) -> Kind {
    let value = scalar.value
    switch value {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: return .word
    case 0x00...0x20, 0x22, 0x28, 0x29, 0x2C, 0x3B, 0x5B, 0x5D, 0x7B, 0x7D, 0x7F: return .wordBreak
    case 0x21...0x7E: return .separator
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return .unspaced
    // The zero-width space separates Latin words. In Thai and Khmer it only marks a place for a line break.
    case 0x200B: return .mark
    // The apostrophe of "don’t". Its Unicode category is closing quote.
    case 0x2019: return .separator
    default: break
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
      return isUnspaced(value) ? .unspaced : .word
    case .decimalNumber, .otherNumber, .privateUse: return .word
    case .nonspacingMark, .spacingMark, .enclosingMark:
      return isUnspaced(value) ? .ignored : .mark
    // Soft hyphens and joiners.
    case .format: return .ignored
    case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: return .wordBreak
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control: return .wordBreak
    default: return value == 0x3001 || value == 0x3002 ? .wordBreak : .separator
    }
  }

  /// Whether the character is in a block of a script without spaces, as a letter or not.
  private static func isUnspaced(_ value: UInt32) -> Bool {
    switch value {
    case 0x0E00...0x0EFF: return true  // Thai, Lao
    case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: return true  // Myanmar
    case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: return true  // Hangul
    case 0x1780...0x17FF: return true  // Khmer
    case 0x3005...0x3007, 0x3021...0x3029, 0x3038...0x303C: return true  // iteration marks, 〇, numerals
    case 0x3041...0x30FF, 0x31F0...0x31FF, 0x1AFF0...0x1B16F: return true  // kana
    case 0x3100...0x312F, 0x31A0...0x31BF: return true  // Bopomofo
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD: return true  // Han
    default: return false
    }
  }

  /// Whether a text of only such characters equals its ``segmented(_:)`` form.
  ///
  /// A quick test for common letters that NFKC does not change. A wrong false only costs time.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x7F, 0xA9, 0xAB, 0xAE, 0xB0, 0xB7, 0xBB, 0xBF...0x131, 0x134...0x13E, 0x141...0x148, 0x14A...0x17E: return true
    case 0x180...0x1C3, 0x1CD...0x1F0, 0x1F4...0x2AF, 0x388...0x3CE, 0x400...0x481, 0x48A...0x52F: return true
    case 0x531...0x556, 0x561...0x586, 0x5D0...0x5EA, 0x621...0x63A, 0x641...0x64A, 0x10D0...0x10FA: return true
    case 0x1E00...0x1E99, 0x1E9E...0x1EFF, 0x2012...0x2016, 0x2018...0x2022: return true
    default: return false
    }
  }

  /// Whether NFKC leaves a text of only such characters unchanged. A wrong false only costs time.
  static func isNormal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FE, 0xAC00...0xD7A3, 0x3001...0x3030: return true
    default: return isPlain(scalar)
    }
  }
}
