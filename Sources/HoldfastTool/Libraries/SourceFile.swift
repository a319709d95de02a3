import Foundation
import Holdfast
import HoldfastTransfer

/// Finds the file that an import reads.
enum SourceFile {
  /// The file in a folder that a library imports; `source` itself if it is not a folder or has no such file.
  ///
  /// - Throws: `ambiguous` for a folder with several such files.
  static func file(of source: FilePath, format: String?) throws -> FilePath {
    guard source.isFolder, let names = try? FileManager.default.contentsOfDirectory(atPath: source.path) else { return source }
    let found = try Libraries.all.flatMap { try $0.filesOfFolder(source.url, names, format) }
    guard let name = found.first else { return source }
    guard found.count == 1 else {
      throw Failure(
        code: "ambiguous", "\(source.path) has \(found.count) files to import: \(found.prefix(5).joined(separator: ", "))",
        suggestion: "one of these files", status: .usage)
    }
    return FilePath(argument: source.url.appendingPathComponent(name).path) ?? source
  }

  /// The name of standard input in reports, errors, the ledger of imports and the quarantine.
  static let standardInputName = "standard input"

  /// Standard input as a file, while `body` runs.
  ///
  /// - Throws: `.inputOutput` when standard input cannot be read; `.diskFull`, `.inputOutput` when the file cannot be written;
  ///   what `body` throws, with "standard input" in place of the file's path: the file is deleted then.
  static func standardInput<T>(_ body: (FilePath) throws -> T) throws -> T {
    try temporary("standard-input") { file in
      try copyStandardInput(to: file)
      func named(_ text: String) -> String { text.replacingOccurrences(of: file.path, with: standardInputName) }
      do {
        return try body(file)
      } catch var error as StoreError {
        (error.message, error.suggestion) = (named(error.message), error.suggestion.map(named))
        throw error
      } catch var error as Failure {
        (error.message, error.suggestion) = (named(error.message), error.suggestion.map(named))
        throw error
      }
    }
  }

  private static func copyStandardInput(to file: FilePath) throws {
    do {
      // Written without SQLite: standard input, into a temporary file.
      let handle = try FileHandle(forWritingTo: file.url)
      defer { try? handle.close() }
      while let piece = try standardInputPiece(), !piece.isEmpty { try handle.write(contentsOf: piece) }
    } catch {
      throw DurableFile.failure(error, file.url)
    }
  }

  private static func standardInputPiece() throws -> Data? {
    do {
      return try FileHandle.standardInput.read(upToCount: 1 << 20)
    } catch {
      throw StoreError(
        .inputOutput, "standard input is closed, a folder, or cannot be read", suggestion: "Give the name of a file, or use a pipe.",
        cause: error)
    }
  }

  /// An empty file of this name, in a folder of its own that only this user can read, while `body` runs.
  static func temporary<T>(_ name: String, _ body: (FilePath) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data().write(to: folder.appendingPathComponent(name))
    } catch {
      throw StoreError(.cannotCreate, "a temporary file cannot be made in \(folder.path)", cause: error)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    guard let file = FilePath(argument: folder.appendingPathComponent(name).path) else {
      throw StoreError(.cannotCreate, "a temporary file cannot be made in \(folder.path)")
    }
    return try body(file)
  }
}
