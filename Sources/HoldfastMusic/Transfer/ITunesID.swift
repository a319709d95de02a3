import Foundation
import Holdfast

/// The ids that iTunes gives to tracks and playlists: 16 hexadecimal digits, the same in every export.
enum ITunesID {
  /// The id in this library; nil for a text that is not 16 hexadecimal digits.
  static func uuid(_ text: String) -> UUID? {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return NewID.derived(from: "itunes/\(text.uppercased())")
  }

  /// The number as 16 digits.
  static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Seconds since 1904 in local time, as `Play Date` counts them.
struct MacClock: Sendable {
  let timeZone: TimeZone

  /// From 1904 to 1970.
  private static let epoch: Int64 = 2_082_844_800

  /// The number as an unsigned value: older programs took its highest bit for a sign. Nil for a number that 32 bits cannot hold.
  static func seconds(_ number: Int64) -> Int64? {
    if let wrapped = Int32(exactly: number), wrapped < 0 { return Int64(UInt32(bitPattern: wrapped)) }
    return UInt32(exactly: number).map(Int64.init)
  }

  /// The date; the first one of an hour that the clock shows twice.
  func date(_ seconds: Int64) -> Date? {
    let local = seconds - Self.epoch
    let offsets = [86_400, -86_400].map { Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - $0)))) }
    let candidates = offsets.map { Date(timeIntervalSince1970: Double(local - $0)) }
    return candidates.first { self.seconds($0) == seconds }
  }

  func seconds(_ date: Date) -> Int64? {
    Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map { $0 + Int64(timeZone.secondsFromGMT(for: date)) + Self.epoch }
  }
}
