import Holdfast

/// The columns of one exercise in a table of StrongLifts.
///
/// Today a row is an exercise, and each set has a column for its repetitions and one for its weight. Until about 2018 a row is a
/// workout: `Exercise 1`, `Weight (KG)`, `Weight (LB)`, `Set 1` to `Set 5`, then `Exercise 2` and so on. Whatever column stands before
/// the weights is an exercise: the fourth is called `Arm work` in some versions.
struct StrongLiftsExercise: Sendable {
  struct Weight: Sendable {
    var place: Int
    /// `kg` or `lb`, from the header.
    var unit: String
  }

  struct Column: Sendable {
    var number: Int
    var reps: Int
    /// At most one for each unit.
    var weights: [Weight]
  }

  var name: Int
  var sets: [Column]
  /// Only in the old form: how many columns the exercise has.
  private var width = 0

  var places: [Int] { [name] + sets.flatMap { [$0.reps] + $0.weights.map(\.place) } }

  // MARK: From the header

  /// - Parameter name: the place of the column `Exercise`, which only today's form has. The header is folded.
  static func all(_ header: [String], _ name: Int) -> [StrongLiftsExercise] {
    let old = inWorkouts(header)
    guard old.isEmpty else { return old }
    let sets = pairs(header)
    return sets.isEmpty ? [] : [StrongLiftsExercise(name: name, sets: sets)]
  }

  private static func pairs(_ header: [String]) -> [Column] {
    let columns = header.enumerated().compactMap { place, name in setColumn(name).map { (place: place, number: $0.number, what: $0.what) } }
    var pairs: [Int: Column] = [:]
    for column in columns where column.what == "reps" && pairs[column.number] == nil {
      pairs[column.number] = Column(number: column.number, reps: column.place, weights: [])
    }
    for column in columns where column.place != pairs[column.number]?.reps && pairs[column.number]?.weights.isEmpty == true {
      guard WeightUnit(spelled: column.what) != nil else { continue }
      pairs[column.number]?.weights = [Weight(place: column.place, unit: column.what)]
    }
    return pairs.values.sorted { $0.number < $1.number }
  }

  /// The old form: the columns in turns.
  private static func inWorkouts(_ header: [String]) -> [StrongLiftsExercise] {
    var found: [StrongLiftsExercise] = []
    var place = 0
    while place < header.count {
      let weights = header[(place + 1)...].prefix { weightUnit($0) != nil }
      let sets = header[weights.endIndex...].prefix { setNumber($0) != nil }
      guard !weights.isEmpty, !sets.isEmpty, weightUnit(header[place]) == nil else {
        place += 1
        continue
      }
      let units = zip(weights.indices, weights).map { Weight(place: $0, unit: weightUnit($1) ?? "") }
      let columns = zip(sets.indices, sets).map { Column(number: setNumber($1) ?? 0, reps: $0, weights: units) }
      found.append(StrongLiftsExercise(name: place, sets: columns, width: sets.endIndex - place))
      place = sets.endIndex
    }
    return found
  }

  /// The parts of `set 1 (reps)` and `set 1 (kg)`. Called for each name of any table's header, so it uses no regular
  /// expression, which would be compiled each time.
  private static func setColumn(_ name: String) -> (number: Int, what: String)? {
    guard name.hasPrefix("set "), name.last == ")" else { return nil }
    let rest = name.dropFirst(4)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 4, let number = Int(digits), rest.dropFirst(digits.count).hasPrefix(" (") else { return nil }
    return (number, String(rest.dropFirst(digits.count + 2).dropLast()))
  }

  /// The number in `set 1` and in `set 1a`.
  private static func setNumber(_ name: String) -> Int? {
    guard name.hasPrefix("set ") else { return nil }
    let digits = name.dropFirst(4).prefix { $0.isASCII && $0.isNumber }
    let letters = name.dropFirst(4 + digits.count)
    return digits.count <= 4 && letters.count <= 1 && letters.allSatisfy(\.isLetter) ? Int(digits) : nil
  }

  /// The unit in `weight (kg)`.
  private static func weightUnit(_ name: String) -> String? {
    guard name.hasPrefix("weight ("), name.hasSuffix(")") else { return nil }
    let unit = String(name.dropFirst("weight (".count).dropLast())
    return WeightUnit(spelled: unit) == nil ? nil : unit
  }

  // MARK: Behind the header

  /// Whether the table has the old form.
  var isInWorkouts: Bool { width > 0 }

  /// The same columns one exercise further, as some versions wrote more exercises than their header has.
  var next: StrongLiftsExercise {
    var next = self
    next.name += width
    for set in next.sets.indices {
      next.sets[set].reps += width
      for weight in next.sets[set].weights.indices { next.sets[set].weights[weight].place += width }
    }
    return next
  }

  /// The place behind the last column.
  var end: Int { name + width }

  /// Whether the cells may be an exercise: a text and numbers, or nothing.
  func fits(_ cells: [String]) -> Bool {
    let numbers = places.dropFirst().compactMap { CSVColumns.text($0, cells) }
    guard let name = CSVColumns.text(name, cells) else { return numbers.isEmpty }
    return name.contains(where: \.isLetter) && numbers.allSatisfy { CSVNumber($0, .letters) != nil }
  }
}
