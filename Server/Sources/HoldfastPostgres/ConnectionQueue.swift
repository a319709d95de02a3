internal import Dispatch

/// The thread of one connection: the actor's work and the events of its socket come one after the other.
final class ConnectionQueue: SerialExecutor {
  let queue = DispatchQueue(label: "holdfast.postgres")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
