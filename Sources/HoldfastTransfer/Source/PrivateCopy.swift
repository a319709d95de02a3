import Foundation
import Holdfast

/// A copy of a source in a temporary folder that only its owner may read.
final class PrivateCopy {
  let url: URL
  private let folder: WorkingFolder

  init(of source: ImportSource) throws {
    folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "source")
    url = folder.file("source.sqlite")
    try source.copy(to: url)
  }
}
