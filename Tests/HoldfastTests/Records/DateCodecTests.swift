import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The date codec")
struct DateCodecTests {
  private let first = DateCodec.range.lowerBound
  private let last = DateCodec.range.upperBound
  /// How many random cases there are, in short runs and in `make proof`.
  private let thousands = ProofRun.isLong ? 1_000 : 20

  @Test("gives back the same millisecond through Date for random ones of the whole range")
  func throughDate() {
    var random = SeededGenerator(printing: 0xDA_0001)
    var wrong: [Int64] = []
    for _ in 0..<1_000 * thousands {
      let milliseconds = Int64.random(in: DateCodec.range, using: &random)
      let date = DateCodec.date(milliseconds: milliseconds)
      if date.flatMap(DateCodec.milliseconds) != milliseconds || date.map(DateCodec.rounded) != date { wrong.append(milliseconds) }
    }
    for milliseconds in [first, first + 1, -1, 0, 1, last - 1, last] {
      if DateCodec.date(milliseconds: milliseconds).flatMap(DateCodec.milliseconds) != milliseconds { wrong.append(milliseconds) }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("rounds half a millisecond away from zero, and has no milliseconds for what cannot be stored")
  func rounding() {
    let halves: [(TimeInterval, Int64)] = [
      (0.0625, 63), (-0.0625, -63), (0.0624, 62), (1.1874, 1187), (1.1875, 1188), (-1.1875, -1188), (0, 0), (-0.0001, 0),
      (978_307_199.9375, 978_307_199_938),
    ]
    for (seconds, expected) in halves { #expect(DateCodec.milliseconds(Date(timeIntervalSince1970: seconds)) == expected) }
    let outside: [TimeInterval] = [.nan, .infinity, -.infinity, 1e300, -1e300, 253_402_300_800, -62_135_596_800.01, 253_402_300_799.9999]
    for seconds in outside {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(DateCodec.milliseconds(date) == nil)
      #expect(DateCodec.rounded(date).timeIntervalSince1970.bitPattern == date.timeIntervalSince1970.bitPattern)
    }
    for milliseconds in [first - 1, last + 1, .min, .max] { #expect(DateCodec.date(milliseconds: milliseconds) == nil) }
    #expect(DateCodec.rounded(Date(timeIntervalSince1970: 1.23456)) == Date(timeIntervalSince1970: 1.235))
  }

  @Test("agrees with counting every single day from the year 1 to 9999, in every text form, both ways")
  func everyDay() {
    var wrong: [String] = []
    var day = first
    // `make proof` looks at the texts of every year.
    func isLookedAt(_ year: Int) -> Bool { ProofRun.isLong || 1960...2040 ~= year || year % 29 == 1 || year % 100 < 2 }
    for year in 1...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, length) in zip(1..., [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        defer { day += Int64(length) * 86_400_000 }
        guard isLookedAt(year) else { continue }
        // Its first and last day, and the one that is not there any more.
        for (number, time) in [(1, "00:00:00.000"), (length, "23:59:59.999")] {
          let text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(number, 2))"
          let milliseconds = number == 1 ? day : day + Int64(length) * 86_400_000 - 1
          if DateCodec.sqlText(milliseconds) != "\(text) \(time)" || DateCodec.parseSQLText("\(text) \(time)") != milliseconds
            || DateCodec.parseISO8601("\(text)T\(time)Z") != milliseconds
          {
            wrong.append(text)
          }
        }
        let missing = "\(padded(year, 4))-\(padded(month, 2))-\(padded(length + 1, 2))"
        if DateCodec.parseSQLText(missing) != nil { wrong.append(missing) }
      }
    }
    #expect(day == last + 1)
    #expect(wrong.prefix(5) == [])
  }

  @Test("reads its own texts back for random milliseconds")
  func ownTexts() {
    var random = SeededGenerator(printing: 0xDA_0002)
    var wrong: [Int64] = []
    for round in 0..<1_000 * thousands {
      let milliseconds = Int64.random(in: DateCodec.range, using: &random)
      let isGood =
        switch round % 3 {
        case 0: DateCodec.parseISO8601(DateCodec.iso8601(milliseconds, fraction: true)) == milliseconds
        case 1: DateCodec.parseISO8601(DateCodec.iso8601(milliseconds, fraction: false)) == floorToSecond(milliseconds)
        default: DateCodec.parseSQLText(DateCodec.sqlText(milliseconds)) == milliseconds
        }
      if !isGood { wrong.append(milliseconds) }
    }
    #expect(wrong.prefix(5) == [])
  }

  // Foundation's formatters keep the Julian calendar before October 1582; ISO 8601 and SQLite do not.
  private let gregorian: ClosedRange<Int64> = -12_219_292_800_000...253_402_300_799_999

  @Test("prints what Foundation's ISO 8601 and SQL formatters print, and reads what they print")
  func foundationFormatters() {
    var random = SeededGenerator(printing: 0xDA_0003)
    let whole = ISO8601DateFormatter()
    let fractional = ISO8601DateFormatter()
    fractional.formatOptions.insert(.withFractionalSeconds)
    let sql = DateFormatter()
    sql.locale = Locale(identifier: "en_US_POSIX")
    sql.timeZone = TimeZone(secondsFromGMT: 0)
    sql.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    var wrong: [String] = []
    for _ in 0..<100 * thousands {
      let milliseconds = Int64.random(in: gregorian, using: &random)
      // A quarter of a millisecond up: the formatters cut where a Date falls just short of its millisecond.
      let date = Date(timeIntervalSince1970: (Double(milliseconds) + 0.25) / 1000)
      let (iso, isoFraction, text) = (whole.string(from: date), fractional.string(from: date), sql.string(from: date))
      if DateCodec.iso8601(milliseconds, fraction: false) != iso { wrong.append(iso) }
      if DateCodec.parseISO8601(iso) != floorToSecond(milliseconds) { wrong.append(iso) }
      if DateCodec.iso8601(milliseconds, fraction: true) != isoFraction { wrong.append(isoFraction) }
      if DateCodec.sqlText(milliseconds) != text || DateCodec.parseSQLText(text) != milliseconds { wrong.append(text) }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("agrees with Foundation's JSON coders on dates")
  func foundationCoders() throws {
    var random = SeededGenerator(printing: 0xDA_0004)
    let milliseconds = (0..<100 * thousands).map { _ in Int64.random(in: gregorian, using: &random) }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let dates = milliseconds.map { Date(timeIntervalSince1970: (Double($0) + 0.25) / 1000) }
    let theirs = try JSONDecoder().decode([String].self, from: encoder.encode(dates))
    let differing = zip(milliseconds, theirs).filter { DateCodec.iso8601($0, fraction: false) != $1 }.map(\.1)
    #expect(differing.prefix(5) == [])

    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let ours = milliseconds.map { DateCodec.iso8601($0, fraction: false) }
    let decoded = try decoder.decode([Date].self, from: JSONEncoder().encode(ours))
    let misread = zip(ours, decoded).filter { DateCodec.parseISO8601($0) != DateCodec.milliseconds($1) }.map(\.0)
    #expect(misread.prefix(5) == [])
  }

  @Test("reads fractions, offsets and the ends of the range")
  func isoForms() {
    let cases: [(String, Int64)] = [
      ("2025-11-05T11:41:22Z", 1_762_342_882_000), ("2025-11-05T11:41:22.1Z", 1_762_342_882_100),
      ("2025-11-05T11:41:22.1234Z", 1_762_342_882_123), ("2025-11-05T11:41:22.1235Z", 1_762_342_882_124),
      ("2025-11-05T11:41:22.123499999Z", 1_762_342_882_123), ("2025-11-05T11:41:22.999999999Z", 1_762_342_883_000),
      ("2025-11-05T12:41:22+01:00", 1_762_342_882_000), ("2025-11-05T12:41:22+0100", 1_762_342_882_000),
      ("2025-11-05T06:11:22-05:30", 1_762_342_882_000), ("2025-11-05T11:41:22-00:00", 1_762_342_882_000),
      ("1969-12-31T23:59:59.9995Z", -1), ("1969-12-31T23:59:59.9996Z", 0), ("1970-01-01T00:00:00.0005Z", 1),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
      ("0001-01-01T00:00:00Z", first), ("9999-12-31T23:59:59.999Z", last), ("0001-01-01T01:00:00+01:00", first),
    ]
    for (text, expected) in cases { #expect(DateCodec.parseISO8601(text) == expected, "\(text)") }
  }

  @Test(
    "refuses what is not a date",
    arguments: [
      "", "2025-11-05", "2025-11-05T11:41:22", "2025-11-05T11:41Z", "2025-11-05 11:41:22Z", "2025-11-05t11:41:22Z",
      "2025-11-05T11:41:22z", "2025-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-04-31T00:00:00Z",
      "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-01-00T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:60:00Z",
      "2025-01-01T00:00:60Z", "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00.1234567890Z", "2025-01-01T00:00:00,5Z",
      "2025-01-01T00:00:00+24:00", "2025-01-01T00:00:00+01:60", "2025-01-01T00:00:00+01", "2025-01-01T00:00:00+1:00",
      "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.9995Z", "9999-12-31T23:59:59-00:01",
      "+2025-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2025-01-01T00:00:00Z ", " 2025-01-01T00:00:00Z", "2025-1-1T0:0:0Z",
      "2025-01-01T00:00:00Z\0", "２０２５-01-01T00:00:00Z", "2025-01-01T00:00:00é", "2025-01-01T00:00:00", "now", "2460000.5",
    ])
  func refused(text: String) {
    #expect(DateCodec.parseISO8601(text) == nil)
  }

  @Test("reads every form of SQL text, and nothing else")
  func sqlForms() {
    let midnight: Int64 = 1_762_300_800_000
    let cases: [(String, Int64?)] = [
      ("2025-11-05", midnight), ("2025-11-05 11:41", midnight + 42_060_000), ("2025-11-05T11:41", midnight + 42_060_000),
      ("2025-11-05 11:41:22", midnight + 42_082_000), ("2025-11-05T11:41:22.5", midnight + 42_082_500),
      ("2025-11-05 11:41:22.123", midnight + 42_082_123), ("2025-11-05 11:41:22.1235", midnight + 42_082_124),
      ("2025-11-05 12:41:22+01:00", midnight + 42_082_000), ("2025-11-05 11:41Z", midnight + 42_060_000),
      ("", nil), ("11:41", nil), ("2025-11-05 ", nil), ("2025-11-05 11", nil), ("2025-11-05 11:41:", nil), ("2025-11-05Z", nil),
      ("2025-11-05  11:41", nil), ("2025-02-29", nil), ("2025-11-05 24:00", nil), ("2025-11-05 11:41:22 ", nil), ("now", nil),
    ]
    for (text, expected) in cases { #expect(DateCodec.parseSQLText(text) == expected, "\(text)") }
  }

  @Test("reads random damage of a date without a trap, and only as dates that it prints again")
  func damage() {
    var random = SeededGenerator(printing: 0xDA_0005)
    let alphabet = Array("0123456789-:.TZ+ \0é".utf8)
    var wrong: [String] = []
    for _ in 0..<1_000 * thousands {
      var bytes = Array("2024-02-28T23:59:59.123Z".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = alphabet.randomElement(using: &random) ?? 0
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let read = DateCodec.parseISO8601(text), text.utf8.count == 24, text.hasSuffix("Z"), text.dropFirst(19).first == "." else {
        continue
      }
      if DateCodec.iso8601(read, fraction: true) != text { wrong.append(text) }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("prints numbers outside the range with longer or signed years")
  func outsideTheRange() {
    #expect(DateCodec.iso8601(last + 1, fraction: false) == "+10000-01-01T00:00:00Z")
    #expect(DateCodec.iso8601(first - 1, fraction: true) == "0000-12-31T23:59:59.999Z")
    #expect(DateCodec.iso8601(.max, fraction: true) == "+292278994-08-17T07:12:55.807Z")
    #expect(DateCodec.iso8601(.min, fraction: true) == "-292275055-05-16T16:47:04.192Z")
  }

  private func floorToSecond(_ milliseconds: Int64) -> Int64 {
    milliseconds - ((milliseconds % 1000) + 1000) % 1000
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    String(repeating: "0", count: width - String(number).count) + String(number)
  }
}
