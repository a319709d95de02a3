internal import CPostgres
internal import Dispatch
internal import Foundation

/// libpq's connection, with the sources that watch its socket. Only the connection's queue uses it; its end may come anywhere.
final class Link: @unchecked Sendable {
  let pointer: OpaquePointer
  let notices = Notices()
  private let queue: DispatchQueue
  /// The socket by a number of our own. libpq closes its own at once when the other side ends; a number that is given to another connection
  /// while sources still watch it would never tell of that one.
  private let descriptor: Int32
  private let reading: any DispatchSourceRead
  private let writing: any DispatchSourceWrite
  private let timer: any DispatchSourceTimer
  private var isWriting = false

  /// Takes an open connection over; nil, and closes it, when the process has no number left for a file.
  init?(_ pointer: OpaquePointer, on queue: DispatchQueue) {
    let descriptor = fcntl(PQsocket(pointer), F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else {
      PQfinish(pointer)
      return nil
    }
    (self.pointer, self.queue, self.descriptor) = (pointer, queue, descriptor)
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
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

  /// Whether there is something to read, or the end.
  var isReadable: Bool {
    var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) > 0
  }

  deinit {
    // A suspended source can neither be cancelled nor be released.
    if !isWriting { writing.resume() }
    reading.activate()
    timer.activate()
    timer.cancel()
    // Both sources must have let go of the descriptor before it is closed.
    let group = DispatchGroup()
    for source in [reading, writing] as [any DispatchSourceProtocol] {
      group.enter()
      source.setCancelHandler { group.leave() }
      source.cancel()
    }
    let closing = Closing(pointer: pointer, descriptor: descriptor, notices: notices)
    group.notify(queue: queue) { closing.finish() }
  }

  private struct Closing: @unchecked Sendable {
    let pointer: OpaquePointer
    let descriptor: Int32
    let notices: Notices

    func finish() {
      PQfinish(pointer)
      close(descriptor)
      withExtendedLifetime(notices) {}
    }
  }
}
