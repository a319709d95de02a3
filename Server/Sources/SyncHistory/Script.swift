/// What a transaction of a device writes. It follows from the transaction's number alone, so that the counter tells what else must be seen.
///
/// Each device counts its transactions from 1. A transaction sets the device's counter to its number, and writes one *pair*: two notes that get
/// equal tags, or are deleted together. The pairs take turns. Only their own device writes them.
package enum Script {
  /// The pairs of each device.
  package static let pairs = 12

  /// The pair that a transaction writes.
  package static func pair(of number: Int) -> Int { number % pairs }

  /// The tag that a transaction gives to its pair; nil: it deletes the pair.
  package static func tag(of number: Int) -> String? { number % 5 == 0 ? nil : "\(number)" }

  /// The last transaction that wrote the pair when the counter was `counter`, which is at least 0; nil: none had.
  package static func last(writing pair: Int, upTo counter: Int) -> Int? {
    let number = counter - (counter - pair + pairs) % pairs
    return number >= 1 ? number : nil
  }
}
