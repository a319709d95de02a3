import Foundation
import Logging

/// What the drills of a snapshot and of the archive share: a scratch file beside the store, the migrations that it lacks, and the whole check.
struct Drill: Sendable {
  let files: StoreFiles
  let schemas: [StoreSchema]
  let options: StoreOptions
  let isCancelled: @Sendable () -> Bool

  func goOn() throws {
    if isCancelled() { throw StoreError(.cancelled, "the drill of \(files.path) was cancelled") }
  }

  /// Builds the scratch file, migrates it, checks it as `Store.check` does, removes it. `build` returns what was restored, and its name.
  /// `passed` is called with the present time when the check had no findings.
  func run<Source>(
    build: (URL) throws -> (source: Source, name: String), passed: (Date) throws -> Void
  ) throws -> (source: Source, report: IntegrityReport, endedAt: Date) {
    try files.telling {
      let folder = try WorkingFolder(beside: files.url, "drilling")
      let file = folder.file("restored.sqlite")
      let (source, name) = try build(file)
      try goOn()
      try Store.migrate(file, name, schemas, options)
      let report = try Store.check(at: file, schemas: schemas, options: options.forCopy, isCancelled: isCancelled)
      let endedAt = DateCodec.rounded(options.now())
      if report.isHealthy { try passed(endedAt) }
      options.logger.info("drilled", metadata: ["restored": "\(name)", "findings": "\(report.findings.count)"])
      return (source, report, endedAt)
    }
  }
}
