// What a set, an exercise or a weight is: lists that the apps still add to. Each takes any text, so a value that this version does
// not know survives word for word.

/// What an exercise is done with.
public struct ExerciseType: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A pair of short weights, or one.
  public static let dumbbell = ExerciseType(rawValue: "dumbbell")
  /// A round weight with a handle.
  public static let kettlebell = ExerciseType(rawValue: "kettlebell")
  /// A long bar.
  public static let barbell = ExerciseType(rawValue: "barbell")
  /// A six-cornered bar that one stands in.
  public static let hexbar = ExerciseType(rawValue: "hexbar")
  /// The body itself; what is entered as its weight was added to it.
  public static let bodyweight = ExerciseType(rawValue: "bodyweight")
  /// A machine or a cable.
  public static let machine = ExerciseType(rawValue: "machine")
  /// Nobody said. The default.
  public static let unknown = ExerciseType(rawValue: "unknown")
}

/// What a set was for.
public struct SetType: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Before the work; in no record and no volume.
  public static let warmUp = SetType(rawValue: "warmUp")
  /// The work. The default.
  public static let working = SetType(rawValue: "working")
  /// Directly after another, with less weight.
  public static let dropSet = SetType(rawValue: "dropSet")
  /// As many rounds or repetitions as possible.
  public static let amrap = SetType(rawValue: "amrap")
  /// Until no further repetition was possible.
  public static let failure = SetType(rawValue: "failure")
}

/// What a weight is counted in.
public struct WeightUnit: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Kilograms.
  public static let kilograms = WeightUnit(rawValue: "kg")
  /// Pounds of 0.45359237 kg. The default, as the app has it.
  public static let pounds = WeightUnit(rawValue: "lb")
  /// The body itself.
  public static let bodyweight = WeightUnit(rawValue: "bodyweight")
}

/// What a distance is counted in.
public struct DistanceUnit: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Metres.
  public static let meters = DistanceUnit(rawValue: "m")
  /// Kilometres.
  public static let kilometers = DistanceUnit(rawValue: "km")
  /// Miles of 1,609.344 m.
  public static let miles = DistanceUnit(rawValue: "mi")
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
  public struct Main: RawRepresentable, Sendable, Hashable, Codable {
    /// As it is stored.
    public var rawValue: String

    /// Takes any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The chest.
    public static let chest = Main(rawValue: "chest")
    /// The legs, without the calves.
    public static let legs = Main(rawValue: "legs")
    /// The arms.
    public static let arms = Main(rawValue: "arms")
    /// The back.
    public static let back = Main(rawValue: "back")
    /// The calves.
    public static let calves = Main(rawValue: "calves")
    /// The shoulders.
    public static let shoulders = Main(rawValue: "shoulders")
    /// Belly and lower back.
    public static let core = Main(rawValue: "core")
    /// Heart and lungs.
    public static let cardio = Main(rawValue: "cardio")
    /// All of it.
    public static let fullBody = Main(rawValue: "fullBody")
    /// Something else. The default.
    public static let other = Main(rawValue: "other")
  }
}
