import Holdfast

extension BodyPart {
  /// The part of the body that a common exercise trains most, by its English name; nil for other names.
  ///
  /// The programs' tables do not name it, and charts by body part would be empty after an import. Case, accents, blanks, hyphens and a
  /// plural do not matter, nor does equipment: `Bench Press (Barbell)` and `Dumbbell Bench Presses` are the bench press.
  static func guessed(from name: String) -> BodyPart? {
    let main = SortText.folded(name).prefix { $0 != "(" }
    let words = main.split { !$0.isLetter }
    let bare = words.first.map { equipment.contains(String($0)) } == true ? words.dropFirst() : words[...]
    return (parts[key(words[...])] ?? parts[key(bare)]).map { BodyPart($0) }
  }

  private static let equipment: Set = ["barbell", "cable", "dumbbell", "kettlebell", "machine"]

  private static let parts: [String: Main] = {
    var parts: [String: Main] = [:]
    for (part, names) in exercises {
      for name in names { parts[key(name.split(separator: " ")[...])] = part }
    }
    return parts
  }()

  /// The letters without the ending of a plural.
  private static func key(_ words: ArraySlice<Substring>) -> String {
    let letters = words.joined(separator: "")
    let isLong = letters.hasSuffix("ches") || letters.hasSuffix("sses")
    return String(letters.dropLast(isLong ? 2 : letters.hasSuffix("s") && !letters.hasSuffix("ss") ? 1 : 0))
  }

  private static let exercises: KeyValuePairs<Main, [String]> = [
    .chest: [
      "bench press", "incline bench press", "decline bench press", "chest press", "chest fly", "fly", "pec deck", "push up", "dip",
      "chest dip",
    ],
    .back: [
      "deadlift", "row", "bent over row", "pendlay row", "t bar row", "seated row", "seated cable row", "lat pulldown", "pull up",
      "chin up", "back extension", "shrug",
    ],
    .legs: [
      "squat", "back squat", "front squat", "goblet squat", "hack squat", "split squat", "bulgarian split squat", "leg press",
      "leg extension", "leg curl", "lying leg curl", "seated leg curl", "lunge", "romanian deadlift", "hip thrust", "glute bridge",
      "step up",
    ],
    .calves: ["calf raise", "standing calf raise", "seated calf raise", "calf press"],
    .shoulders: [
      "overhead press", "shoulder press", "military press", "arnold press", "push press", "lateral raise", "front raise", "reverse fly",
      "upright row", "face pull",
    ],
    .arms: [
      "curl", "bicep curl", "biceps curl", "hammer curl", "preacher curl", "concentration curl", "triceps extension", "triceps pushdown",
      "triceps dip", "skullcrusher", "close grip bench press",
    ],
    .core: [
      "plank", "side plank", "crunch", "sit up", "russian twist", "leg raise", "hanging leg raise", "hanging knee raise", "ab wheel",
    ],
    .cardio: ["running", "walking", "cycling", "rowing", "swimming", "treadmill", "elliptical", "jump rope"],
    .fullBody: ["clean", "power clean", "clean and jerk", "snatch", "thruster", "burpee", "kettlebell swing"],
  ]
}
