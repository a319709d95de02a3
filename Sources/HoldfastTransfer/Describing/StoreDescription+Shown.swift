import Foundation
package import Holdfast

extension StoreDescription {
  /// A value as the app shows it, where the file tells its kind and the value is of it; any other value as it is stored.
  package func shown(_ value: SQLValue, in table: String, _ column: String) -> ShownValue {
    switch (kind(of: column, in: table), value) {
    case (.id?, .text(let text)): if let id = IDCodec.parse(text) { return .id(id) }
    case (.date?, .integer(let number)): if let date = DateCodec.date(milliseconds: number) { return .time(date) }
    case (.seconds?, .real(let number)) where number.isFinite: return .length(number)
    case (.seconds?, .integer(let number)): return .length(Double(number))
    case (.flag?, .integer(0)): return .told(.flag(false), "no")
    case (.flag?, .integer(1)): return .flag(true)
    case (.json?, .text(let text)): return .stored(text)
    default: break
    }
    switch value {
    case .null: return .text(nil)
    case .integer(let number): return .count(Int(number))
    case .real(let number): return .told(.number(number.isFinite ? number : nil), number.description)
    case .text(let text): return .text(text)
    case .blob(let data): return .bytes(data)
    }
  }
}
