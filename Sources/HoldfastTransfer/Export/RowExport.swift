package import Foundation
package import Holdfast

extension Store {
  /// Writes rows to a file, in a format of the caller. The old file stays until the end.
  ///
  /// - Parameter body: gets a function that writes bytes; returns the number of rows.
  /// - Throws: `.misuse` for the store's own file; `.diskFull`, `.cannotCreate`, `.permissionDenied`, `.inputOutput`; the errors of `body`.
  package func exportRows(
    of kind: String, to url: URL, format: String, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Int
  ) throws -> ExportReport {
    let written = try ExportFile.replace(url, from: self) { file in try body { try file.write($0) } }
    return ExportReport(
      format: format, path: written.url.path, bytes: written.bytes, sha256: written.sha256, counts: [kind: written.result])
  }
}
