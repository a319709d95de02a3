import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Weights") struct WeightTests {
  private static func there(_ weight: Weight) -> Weight? { weight.converted(to: weight.unit == .pounds ? .kilograms : .pounds) }

  @Test("multiples of 0.01 come back as they were entered, from kilograms and from pounds: every one up to 400, every seventh up to 2,000")
  func everyEnteredWeight() {
    var changed: [Weight] = []
    for unit in [WeightUnit.kilograms, .pounds] {
      for hundredths in Array(-20_000...40_000) + stride(from: 40_000, through: 200_000, by: ProofRun.isLong ? 1 : 7) {
        let entered = Weight(Double(hundredths) / 100, unit)
        if Self.there(entered).flatMap(Self.there) != entered { changed.append(entered) }
      }
    }
    #expect(changed == [])
  }

  @Test("converting a thousand times there and back does not drift", arguments: [UInt64(1), 2, 3])
  func repeatedConversion(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let unit = random.pick([WeightUnit.kilograms, .pounds])
      let entered = Weight(Double(Int.random(in: 0...3_600_000, using: &random)) / 1000, unit)
      let first = try #require(Self.there(entered))
      var weight = entered
      for _ in 0..<1000 {
        weight = try #require(Self.there(weight))
        guard weight == first else { break }
        weight = try #require(Self.there(weight))
      }
      #expect(weight == entered)
    }
  }

  @Test("numbers that nobody lifts stay where they are after the first conversion, or are refused")
  func hugeNumbers() {
    for value in [1e15, 123_456_789.123_456_7, .greatestFiniteMagnitude / 4, .leastNonzeroMagnitude, 1e-300] {
      let back = Self.there(Weight(value, .pounds)).flatMap(Self.there)?.value ?? .nan
      #expect(abs(back - value) <= 4 * value.ulp)
    }
    #expect(Weight(.greatestFiniteMagnitude, .kilograms).converted(to: .pounds) == nil)
    #expect(Weight(.infinity, .kilograms).converted(to: .pounds) == nil)
    #expect(Weight(.nan, .pounds).converted(to: .kilograms) == nil)
  }

  @Test("the factor is exact: 100 lb are 45.359237 kg")
  func factor() {
    #expect(Weight(100, .pounds).converted(to: .kilograms) == Weight(45.359237, .kilograms))
    #expect(Weight(45.359237, .kilograms).converted(to: .pounds) == Weight(100, .pounds))
    #expect(Weight(80, .kilograms).converted(to: .pounds)?.rounded() == Weight(176.37, .pounds))
  }

  @Test("77.16 lb that an app wrote for 35 kg are 35 kg for a reader, and stay 77.16 lb in the log")
  func convertedByFitNotes() {
    let entered = Weight(77.16, .pounds)
    #expect(entered.converted(to: .kilograms)?.rounded() == Weight(35, .kilograms))
    #expect(entered.converted(to: .kilograms)?.converted(to: .pounds) == entered)
  }

  @Test("the body's weight and units that are not known convert to themselves only")
  func notConvertible() {
    for unit in [WeightUnit.bodyweight, WeightUnit(rawValue: "stone"), WeightUnit(rawValue: "")] {
      #expect(Weight(10, unit).converted(to: .kilograms) == nil)
      #expect(Weight(10, .pounds).converted(to: unit) == nil)
      #expect(Weight(10, unit).converted(to: unit) == Weight(10, unit))
      #expect(!unit.isConvertible)
    }
  }

  @Test("rounding takes any number of decimals and any value")
  func rounding() {
    #expect([-1, 0, 1, 2, 99].map { Weight(1.2345678901234, .pounds).rounded(decimals: $0).value } == [1, 1, 1.2, 1.23, 1.23456789])
    #expect(Weight(.greatestFiniteMagnitude, .pounds).rounded().value == .greatestFiniteMagnitude)
    #expect(Weight(-2.5, .pounds).rounded(decimals: 0).value == -3)
  }

  @Test("both formulas give their authors' numbers, the weight itself for one repetition, and nothing where they have no value")
  func oneRepMax() throws {
    #expect(OneRepMax.epley.estimate(100, reps: 1) == 100)
    #expect(OneRepMax.brzycki.estimate(100, reps: 1) == 100)
    #expect(try #require(OneRepMax.epley.estimate(100, reps: 10)).rounded() == 133)
    #expect(try #require(OneRepMax.brzycki.estimate(100, reps: 10)).rounded() == 133)
    #expect(OneRepMax.brzycki.estimate(100, reps: 36) == 3600)
    #expect(OneRepMax.brzycki.estimate(100, reps: 37) == nil)
    #expect(OneRepMax.epley.estimate(90, reps: 30) == 180)
    for formula in OneRepMax.allCases {
      for (weight, reps) in [
        (0.0, 5), (-20, 5), (100, 0), (100, -1), (100, .min), (.nan, 3), (.infinity, 1), (.greatestFiniteMagnitude, 12),
      ] {
        #expect(formula.estimate(weight, reps: reps) == nil)
      }
      #expect(formula.estimate(100, reps: .max).map { $0.isFinite } ?? true)
    }
  }
}
