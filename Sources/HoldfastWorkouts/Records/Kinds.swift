public import Holdfast

// What a set, an exercise or a weight is: lists that the apps still add to. Each takes any text, so a value that this version does
// not know survives word for word.

/// What an exercise is done with.
public typealias ExerciseType = OpenWord<ExerciseTypes>
/// Tells `ExerciseType` from other words.
public enum ExerciseTypes {}

extension ExerciseType {
  /// A pair of short weights, or one.
  public static var dumbbell: Self { "dumbbell" }
  /// A round weight with a handle.
  public static var kettlebell: Self { "kettlebell" }
  /// A long bar.
  public static var barbell: Self { "barbell" }
  /// A six-cornered bar that one stands in.
  public static var hexbar: Self { "hexbar" }
  /// The body itself; what is entered as its weight was added to it.
  public static var bodyweight: Self { "bodyweight" }
  /// A machine or a cable.
  public static var machine: Self { "machine" }
  /// Nobody said. The default.
  public static var unknown: Self { "unknown" }
}

/// What a set was for.
public typealias SetType = OpenWord<SetTypes>
/// Tells `SetType` from other words.
public enum SetTypes {}

extension SetType {
  /// Before the work; in no record and no volume.
  public static var warmUp: Self { "warmUp" }
  /// The work. The default.
  public static var working: Self { "working" }
  /// Directly after another, with less weight.
  public static var dropSet: Self { "dropSet" }
  /// As many rounds or repetitions as possible.
  public static var amrap: Self { "amrap" }
  /// Until no further repetition was possible.
  public static var failure: Self { "failure" }
}

/// What a weight is counted in.
public typealias WeightUnit = OpenWord<WeightUnits>
/// Tells `WeightUnit` from other words.
public enum WeightUnits {}

extension WeightUnit {
  /// Kilograms.
  public static var kilograms: Self { "kg" }
  /// Pounds of 0.45359237 kg. The default, as the app has it.
  public static var pounds: Self { "lb" }
  /// The body itself.
  public static var bodyweight: Self { "bodyweight" }
}

/// What a distance is counted in.
public typealias DistanceUnit = OpenWord<DistanceUnits>
/// Tells `DistanceUnit` from other words.
public enum DistanceUnits {}

extension DistanceUnit {
  /// Metres.
  public static var meters: Self { "m" }
  /// Kilometres.
  public static var kilometers: Self { "km" }
  /// Miles of 1,609.344 m.
  public static var miles: Self { "mi" }
}

/// What an exercise trains.
public struct BodyPart: Sendable, Hashable {
  /// The part of the body, as a chart groups by it.
  public var main: Main
  /// Names of muscles as people know them; nil when nobody said.
  public var detailed: [String]?
  /// Names of muscles as anatomy has them; nil when nobody said.
  public var scientific: [String]?

  /// A part of the body.
  public init(_ main: Main, detailed: [String]? = nil, scientific: [String]? = nil) {
    self.main = main
    self.detailed = detailed
    self.scientific = scientific
  }

  /// A part of the body.
  public typealias Main = OpenWord<Mains>
  /// Tells `BodyPart.Main` from other words.
  public enum Mains {}
}

extension BodyPart.Main {
  /// The chest.
  public static var chest: Self { "chest" }
  /// The legs, without the calves.
  public static var legs: Self { "legs" }
  /// The arms.
  public static var arms: Self { "arms" }
  /// The back.
  public static var back: Self { "back" }
  /// The calves.
  public static var calves: Self { "calves" }
  /// The shoulders.
  public static var shoulders: Self { "shoulders" }
  /// Belly and lower back.
  public static var core: Self { "core" }
  /// Heart and lungs.
  public static var cardio: Self { "cardio" }
  /// All of it.
  public static var fullBody: Self { "fullBody" }
  /// Something else. The default.
  public static var other: Self { "other" }
}
