import Foundation

// How a process that does not archive gets a label: it leaves a request in the archive's folder, and the process that archives writes the
// label within two seconds. A request whose process was killed counts: whoever archives next writes it.
extension Archiver {
  static func checkLabel(_ text: String) throws {
    guard (1...1_000).contains(text.utf8.count) else { throw StoreError(.misuse, "a label has 1 to 1,000 bytes, not \(text.utf8.count)") }
  }

  /// Asks the process that archives for a label, and waits until it is written. Returns false when this process archives by now.
  /// Throws `.busy` when there was no answer; the request is then taken back.
  func request(_ text: String, wait: Duration = .seconds(5)) throws -> Bool {
    try Self.checkLabel(text)
    let request = folder.newRequest()
    let mark = ArchiveRecord.Mark(commit: 0, time: ArchiveTime.microseconds(options.now()), text: text)
    try DurableFile.replace(request, with: ArchiveRecord.label(mark).framed(options.key.map(RecordSeal.init)))
    let end = ContinuousClock.now + wait
    while DurableFile.stands(request.path) {
      let isOver = ContinuousClock.now >= end
      guard isOver || !isElsewhere else {
        usleep(50_000)
        continue
      }
      // Gone: it was written in this moment.
      guard try DurableFile.remove(request) else { return true }
      guard isOver else { return false }
      throw StoreError(
        .busy, "the process that archives \(files.path) did not write the label within \(Int(wait.inSeconds)) seconds",
        suggestion: "Look at the archive's status in that program: it may be copying the store, or its disk may be full.",
        recoveryOptions: [.retry])
    }
    return true
  }

  /// Writes the labels that other processes asked for. Called on the writer's queue, outside a transaction.
  func writeRequested() {
    guard status.isWriting else { return }
    for request in folder.requests() {
      // Read without SQLite: a request for a label is no database.
      let found = (try? DurableFile.content(of: request)).flatMap(ArchiveRecord.first)?.record
      if case .label(let mark)? = try? found?.opened(options.key.map(RecordSeal.init), request) {
        guard (try? label(mark.text)) != nil else { continue }
      }
      // Also one that cannot be read: nobody will.
      _ = try? DurableFile.remove(request)
    }
  }
}
