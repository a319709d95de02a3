internal import Foundation

/// The table that is printed.
enum Table {
  static let head = "| | must be | is | verdict | |\n|---|---|---|---|---|"

  static func line(_ what: String, _ demand: String, _ figure: Double, _ isMet: Bool, _ note: String) -> String {
    "| \(what) | \(demand) | \(number(figure)) | \(isMet ? "met" : "MISSED") | \(note) |"
  }

  static func number(_ value: Double) -> String { String(format: value < 100 ? "%.2f" : "%.0f", value) }
}
