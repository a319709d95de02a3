public import Foundation
import Holdfast

// The only code that knows epochs and units of dates. Every importer of JSON and of databases names the form that its source has.

/// Forms of dates in sources. Dates are compared in the source's own form, to the millisecond.
extension ValueForm<Date> {
  /// `2025-11-05T11:41:22Z`, as `DateCodec.parseISO8601(_:)` reads it.
  public static var iso8601: ValueForm {
    ValueForm("a date", write: JSONValue.iso8601) { json in
      if case .string(let text) = json { Written(date: text) } else { nil }
    }
  }

  /// `2025-08-05 12:30:00.000` in UTC, as GRDB and SQLite's functions write it.
  public static var sqlText: ValueForm {
    ValueForm("a date", write: JSONValue.sqlDate) { json in
      if case .string(let text) = json { Written(sqlDate: text) } else { nil }
    }
  }

  /// Seconds since the beginning of 1970, with or without a fraction.
  public static var since1970: ValueForm { seconds(sinceMilliseconds: 0) }

  /// Seconds since the beginning of 2001, as Foundation's encoder writes a `Date`.
  public static var since2001: ValueForm { seconds(sinceMilliseconds: 978_307_200_000) }

  private static func seconds(sinceMilliseconds epoch: Int64) -> ValueForm {
    ValueForm("a date") { date in
      DateCodec.milliseconds(date).map { .double(Double($0 - epoch) / 1000) } ?? .null
    } read: { json in
      guard let seconds = json.finiteNumber, let milliseconds = Int64(exactly: (seconds * 1000).rounded(.toNearestOrAwayFromZero)),
        let date = DateCodec.date(milliseconds: milliseconds &+ epoch)
      else { return nil }
      return Written(value: date, text: .double(Double(milliseconds) / 1000))
    }
  }
}
