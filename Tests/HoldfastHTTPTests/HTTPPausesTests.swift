import Testing

@testable import HoldfastHTTP

@Suite("Pauses between requests") struct HTTPPausesTests {
  @Test("what is no number is the default, and failures double a pause up to the longest")
  func pauses() {
    var pauses = HTTPPauses(firstSeconds: .nan, longestSeconds: .nan) { 1 }
    #expect([1, 2, 3, 10, 11, .max].map { pauses.seconds(afterFailures: $0) } == [5, 10, 20, 2_560, 3_600, 3_600])
    (pauses.firstSeconds, pauses.longestSeconds) = (.infinity, 7)
    #expect(pauses.seconds(afterFailures: 1) == 7)
  }

  @Test(
    "a pause is multiplied by the jitter: by nothing where it is less, and as it is where that is no number or has no end",
    arguments: [(0.5, 2.5), (0.0, 0.0), (-1.0, 0.0), (.nan, 5.0), (.infinity, 5.0), (-.infinity, 5.0)])
  func jitter(factor: Double, seconds: Double) {
    #expect(HTTPPauses { factor }.seconds(afterFailures: 1) == seconds)
  }

  @Test("what a server asks for replaces the pause, up to a day; 0 and a time in the past ask for nothing")
  func asked() {
    let pauses = HTTPPauses { 1 }
    let asked: [Double?] = [nil, 0, -1, 2, 1e9]
    #expect(asked.map { pauses.seconds(afterFailures: 1, least: 7, retryAfterSeconds: $0) } == [7, 7, 7, 2, 86_400])
  }

  @Test("by itself a pause is half of its length to all of it")
  func random() {
    for _ in 1...100 { #expect(2.5...5 ~= HTTPPauses().seconds(afterFailures: 1)) }
  }
}
