internal import HoldfastSyncServer
internal import ServiceLifecycle

/// Wakes the polls of spaces in which another server has pushed.
struct Hearing: Service {
  let server: any SyncSpaces
  let wakes: Wakes

  func run() async {
    await cancelWhenGracefulShutdown {
      for await space in server.pushesElsewhere() {
        if let space { wakes.wake(space) } else { wakes.wakeAll() }
      }
    }
    // Where nobody tells of pushes, this service waits: one that returns ends the program.
    try? await gracefulShutdown()
  }
}
