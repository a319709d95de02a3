internal import Hummingbird

@main
struct Main {
  static func main() async throws {
    let router = Router()
    router.get("/healthz") { _, _ in "ok" }
    try await Application(router: router).runService()
  }
}
