public import Holdfast

// Types of sets and exercises, and units: lists to which the apps still add. Each accepts any text, so a value that this
// version does not know is kept word for word.

/// The equipment of an exercise.
public typealias ExerciseType = OpenWord<ExerciseTypes>
/// The type that distinguishes `ExerciseType` from other words.
public enum ExerciseTypes {}

extension ExerciseType {
  /// One or two short weights.
  public static var dumbbell: Self { "dumbbell" }
  /// A round weight with a handle.
  public static var kettlebell: Self { "kettlebell" }
  /// A long bar.
  public static var barbell: Self { "barbell" }
  /// A six-sided bar; the person stands inside it.
  public static var hexbar: Self { "hexbar" }
  /// The person's own body; the entered weight was added to it.
  public static var bodyweight: Self { "bodyweight" }
  /// A machine or a cable.
  public static var machine: Self { "machine" }
  /// Not given. The default.
  public static var unknown: Self { "unknown" }
}

/// The purpose of a set.
public typealias SetType = OpenWord<SetTypes>
/// The type that distinguishes `SetType` from other words.
public enum SetTypes {}

extension SetType {
  /// A set before the working sets; in no record and no volume.
  public static var warmUp: Self { "warmUp" }
  /// A set of the actual training. The default.
  public static var working: Self { "working" }
  /// A set directly after another, with less weight.
  public static var dropSet: Self { "dropSet" }
  /// As many rounds or repetitions as possible.
  public static var amrap: Self { "amrap" }
  /// Until no further repetition was possible.
  public static var failure: Self { "failure" }
}

/// A unit of weight.
public typealias WeightUnit = OpenWord<WeightUnits>
/// The type that distinguishes `WeightUnit` from other words.
public enum WeightUnits {}

extension WeightUnit {
  /// Kilograms.
  public static var kilograms: Self { "kg" }
  /// Pounds of 0.45359237 kg. The default, as in the app.
  public static var pounds: Self { "lb" }
  /// The person's own body.
  public static var bodyweight: Self { "bodyweight" }
}

/// A unit of distance.
public typealias DistanceUnit = OpenWord<DistanceUnits>
/// The type that distinguishes `DistanceUnit` from other words.
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
  /// The part of the body, by which charts group.
  public var main: Main
  /// Common names of muscles; nil when not given.
  public var detailed: [String]?
  /// Anatomical names of muscles; nil when not given.
  public var scientific: [String]?

  /// A part of the body.
  public init(_ main: Main, detailed: [String]? = nil, scientific: [String]? = nil) {
    self.main = main
    self.detailed = detailed
    self.scientific = scientific
  }

  /// A part of the body.
  public typealias Main = OpenWord<Mains>
  /// The type that distinguishes `BodyPart.Main` from other words.
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
  /// The whole body.
  public static var fullBody: Self { "fullBody" }
  /// Another part. The default.
  public static var other: Self { "other" }
}
