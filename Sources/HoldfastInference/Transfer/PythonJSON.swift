import Holdfast

/// JSON as Python's `json` writes it by default: numbers may be `NaN`, `Infinity` and `-Infinity`, which JSON has no form for. They become
/// texts.
struct PythonJSON {
  let document: JSONDocument
  /// The places of these words in the original.
  private var places: [Int] = []

  init(_ original: JSONDocument) {
    let bytes = original.bytes(0..<original.count)
    var (made, isText, place): ([UInt8], Bool, Int) = ([], false, 0)
    while place < bytes.count {
      let byte = bytes[place]
      if isText, byte == UInt8(ascii: "\\"), place + 1 < bytes.count {
        made += bytes[place...place + 1]
        place += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { isText.toggle() }
      if !isText, let word = Self.words.first(where: { bytes[place...].starts(with: $0) }) {
        places.append(place)
        made += [UInt8(ascii: "\"")] + word + [UInt8(ascii: "\"")]
        place += word.count
      } else {
        made.append(byte)
        place += 1
      }
    }
    document = places.isEmpty ? original : JSONDocument(made)
  }

  private static let words = ["NaN", "Infinity", "-Infinity"].map { Array($0.utf8) }

  /// The offset in the original of an offset in `document`, whose words have two quotation marks more.
  func original(_ offset: Int) -> Int {
    var original = offset
    for place in places where place < original { original -= 2 }
    return max(0, original)
  }
}
