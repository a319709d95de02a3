/// Converts between days since 1970 and dates of the proleptic Gregorian calendar.
///
/// Years are counted from March. The leap day is then the last day of its year, and the months before it have fixed lengths: 153 days in
/// every five months.
enum GregorianDay {
  // The days from 0000-03-01 to 1970-01-01.
  static let epoch: Int64 = 719_468
  static let daysIn400Years: Int64 = 146_097

  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let leapDays = floorDivide(marchYear, 4).quotient - floorDivide(marchYear, 100).quotient + floorDivide(marchYear, 400).quotient
    return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 1 - epoch
  }

  static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (cycle, day) = floorDivide(days + epoch, daysIn400Years)
    // Removes each leap day before `day` in the cycle, so that all years have 365 days.
    let yearOfCycle = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

/// Divides with a remainder that is never negative.
func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
  let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
