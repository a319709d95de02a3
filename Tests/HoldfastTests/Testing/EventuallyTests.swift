import HoldfastTesting
import Testing

@Suite struct EventuallyTests {
  @Test("waiting ends when the condition holds, and with false when the time is over")
  func ends() async {
    var looks = 0
    let holds = await eventually {
      looks += 1
      return looks == 3
    }
    #expect(holds && looks == 3)
    let never = await eventually(within: .zero) { false }
    #expect(!never)
  }
}
