import ArgumentParser
import Holdfast
import HoldfastTransfer

extension Console {
  /// Writes the lines of a list to standard output, row by row.
  func rows(_ selection: Selection, of list: ListDescription, as form: RowWriter.Form, in reader: Reader) throws -> Answer {
    try stream { send in _ = try RowWriter.write(selection, of: list, as: form, in: reader, to: send) }
    var answer = Answer(document: [:])
    answer.isWritten = true
    return answer
  }
}

extension OutputOptions {
  /// - Throws: `ValidationError` for two formats.
  func check(_ format: RowFormat?) throws {
    if json, let format { throw ValidationError("Give --json or --\(format.rawValue), not both.") }
  }

  /// The form in which rows are written; nil for a table.
  func form(_ format: RowFormat?, _ document: @autoclosure () throws -> Document, _ member: String) rethrows -> RowWriter.Form? {
    if let format { return .rows(format) }
    guard json else { return nil }
    let (before, after) = try document().around(member)
    return .document(before: before, after: after)
  }
}
