internal import CPostgres
internal import Dispatch

/// libpq's connection, with the sources that watch its socket. Only the connection's queue uses it; its end may come anywhere.
final class Link: @unchecked Sendable {
  let pointer: OpaquePointer
  let notices = Notices()
  private let queue: DispatchQueue
  private let reading: any DispatchSourceRead
  private let writing: any DispatchSourceWrite
  private let timer: any DispatchSourceTimer
  private var isWriting = false

  /// Takes an open connection over.
  init(_ pointer: OpaquePointer, on queue: DispatchQueue) {
    (self.pointer, self.queue) = (pointer, queue)
    reading = DispatchSource.makeReadSource(fileDescriptor: PQsocket(pointer), queue: queue)
    writing = DispatchSource.makeWriteSource(fileDescriptor: PQsocket(pointer), queue: queue)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(500))
    PQsetNoticeReceiver(pointer, receiveNotice, Unmanaged.passUnretained(notices).toOpaque())
  }

  /// Begins to watch: calls `receive` when there is something to read, `flush` while `wantsToWrite(_:)` says so, `tick` every second.
  func watch(receive: @escaping @Sendable () -> Void, flush: @escaping @Sendable () -> Void, tick: @escaping @Sendable () -> Void) {
    reading.setEventHandler(handler: receive)
    writing.setEventHandler(handler: flush)
    timer.setEventHandler(handler: tick)
    reading.activate()
    timer.activate()
  }

  func wantsToWrite(_ wants: Bool) {
    if wants, !isWriting { writing.resume() }
    if !wants, isWriting { writing.suspend() }
    isWriting = wants
  }

  deinit {
    // A suspended source can neither be cancelled nor be released.
    if !isWriting { writing.resume() }
    reading.activate()
    timer.activate()
    timer.cancel()
    // Both sources must have let go of the descriptor before libpq closes it.
    let group = DispatchGroup()
    for source in [reading, writing] as [any DispatchSourceProtocol] {
      group.enter()
      source.setCancelHandler { group.leave() }
      source.cancel()
    }
    let closing = Closing(pointer: pointer, notices: notices)
    group.notify(queue: queue) { closing.finish() }
  }

  private struct Closing: @unchecked Sendable {
    let pointer: OpaquePointer
    let notices: Notices

    func finish() {
      PQfinish(pointer)
      withExtendedLifetime(notices) {}
    }
  }
}
