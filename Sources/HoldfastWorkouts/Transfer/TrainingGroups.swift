import Holdfast
import HoldfastTransfer

/// Groups rows into workouts, one after the other: consecutive rows with the same start and name are one workout.
///
/// If such rows come again later, as in a file concatenated from several, the workout continues: an exercise that it already
/// has is the same exercise, and any other is added after those. After a second header this is another edition of the workout.
/// Without a header, for a program whose exercises are mixed, the sets are additional ones.
struct TrainingGroups {
  /// Content with its place in the file.
  struct Placed<Content> {
    var content: Content
    var place: CSVPlace
  }

  struct ExerciseKey: Hashable {
    var number: Int
    var name: String
  }

  /// What the rows of a workout say of it, to compare with rows that come later in the file.
  fileprivate struct Said {
    var note: String?
    var seconds: Int?
    var end: Int64?

    init(_ row: TrainingRow) { (note, seconds, end) = (row.note, row.durationSeconds, row.end) }
  }

  struct Exercise {
    var first: Placed<TrainingRow>
    /// Counted among consecutive exercises of the same name.
    var number: Int
    /// How many sets of it came earlier, when the workout continues.
    var offset = 0
    var notes: [String] = []
    /// Nil for a set that cannot be imported; the sets after it keep their places.
    var sets: [Placed<WrittenSet>?] = []
    fileprivate var numbers: [Int?] = []
    /// Whether its sets stand in the file from the last to the first.
    fileprivate var isReversed = false
    fileprivate var noted: Set<String> = []

    /// Whether it has only sets that cannot be imported.
    var isDamaged: Bool { !sets.isEmpty && notes.isEmpty && sets.allSatisfy { $0 == nil } }

    var key: ExerciseKey { ExerciseKey(number: number, name: first.content.exercise) }
  }

  struct Workout {
    var first: Placed<TrainingRow>
    /// False when an earlier workout continues.
    var begins: Bool
    /// How many exercises the workout had before these.
    var offset: Int
    var exercises: [Exercise] = []
    /// How many sets its exercises have so far, when the workout continues without a header between.
    var earlier: [ExerciseKey: Int] = [:]
    /// Contradictions between its rows.
    var doubts: [Placed<TrainingRow.Doubt>] = []
    /// What its rows before these say; nil when the workout begins.
    fileprivate var known: Said?
    fileprivate var counts: [String: Int] = [:]
    fileprivate var told: Set<TrainingRow.Doubt> = []
    /// The last exercise of each name.
    fileprivate var places: [String: Int] = [:]
  }

  private let interleaves: Bool
  private var open: Workout?
  /// How many exercises each workout has so far, how many sets each exercise, and what its rows say of it.
  private var seen: [TrainingRow.Head: (exercises: Int, sets: [ExerciseKey: Int], said: Said)] = [:]
  private var isBehindHeader = false
  /// The program's numbers of the workouts with each start and name.
  private var numbers: [TrainingRow.Head: [String: Int]] = [:]

  init(interleaves: Bool) { self.interleaves = interleaves }

  /// Returns the workout that ended with the previous row.
  mutating func take(_ row: TrainingRow, at place: CSVPlace) -> Workout? {
    var row = row
    var done: Workout?
    if let number = row.number { row.head.copy = copy(of: row.head, number) }
    if open?.first.content.head != row.head {
      done = finish()
      let known = seen[row.head]
      open = Workout(first: Placed(content: row, place: place), begins: known == nil, offset: known?.exercises ?? 0)
      open?.known = known?.said
      if !isBehindHeader { open?.earlier = known?.sets ?? [:] }
    }
    open?.complete(row, at: place)
    for part in row.parts { open?.take(part, of: row, at: place, interleaves) }
    return done
  }

  private mutating func copy(of head: TrainingRow.Head, _ number: String) -> Int {
    let count = numbers[head]?.count ?? 0
    if let copy = numbers[head]?[number] { return copy }
    numbers[head, default: [:]][number] = count
    return count
  }

  /// Returns the workout that ended before the header. Another edition may have other numbers.
  mutating func takeHeader() -> Workout? {
    (isBehindHeader, numbers) = (true, [:])
    return finish()
  }

  mutating func finish() -> Workout? {
    guard var done = open else { return nil }
    for place in done.exercises.indices where done.exercises[place].isReversed { done.exercises[place].sets.reverse() }
    var sets = seen[done.first.content.head]?.sets ?? [:]
    for exercise in done.exercises { sets[exercise.key] = max(sets[exercise.key] ?? 0, exercise.offset + exercise.sets.count) }
    seen[done.first.content.head] = (done.offset + done.exercises.count, sets, done.known ?? Said(done.first.content))
    open = nil
    return done
  }
}

extension TrainingGroups.Workout {
  /// A later row may give a value that the first row lacks, unless the workout only continues: it is imported without the value then.
  fileprivate mutating func complete(_ row: TrainingRow, at place: CSVPlace) {
    let said = known ?? TrainingGroups.Said(first.content)
    let nothing = begins ? nil : ""
    doubt("workouts", "note", said.note ?? nothing, row.note, place)
    if said.seconds != row.durationSeconds {
      doubt("workouts", "duration", said.seconds.map { "\($0) s" } ?? nothing, row.durationSeconds.map { "\($0) s" }, place)
    }
    if said.end != row.end { doubt("workouts", "end", said.end.map(WallTime.text) ?? nothing, row.end.map(WallTime.text), place) }
    take(row)
  }

  /// Reports each differing value once.
  private mutating func doubt(_ kind: String, _ field: String, _ first: String?, _ other: String?, _ place: CSVPlace) {
    guard let first, let other, first != other else { return }
    let doubt = TrainingRow.Doubt(kind: kind, field: field, reason: "an earlier row has another value; this one was not imported: \(other)")
    if told.insert(doubt).inserted { doubts.append(TrainingGroups.Placed(content: doubt, place: place)) }
  }

  private mutating func take(_ row: TrainingRow) {
    first.content.note = first.content.note ?? row.note
    if first.content.durationSeconds == nil {
      (first.content.durationSeconds, first.content.writtenDuration) = (row.durationSeconds, row.writtenDuration)
      first.content.remarks = row.remarks
    }
    first.content.end = first.content.end ?? row.end
  }

  fileprivate mutating func take(_ part: TrainingRow.Part, of row: TrainingRow, at place: CSVPlace, _ interleaves: Bool) {
    switch part {
    case .skipped: break
    case .empty: exercise(row, place, nil, interleaves) { _ in }
    case .note(let text): exercise(row, place, nil, interleaves) { $0.note(text) }
    case .damaged: exercise(row, place, nil, interleaves) { $0.add(nil, nil) }
    case .set(let number, let set):
      exercise(row, place, number, interleaves) { $0.add(TrainingGroups.Placed(content: set, place: place), number) }
    }
  }

  private mutating func exercise(
    _ row: TrainingRow, _ place: CSVPlace, _ number: Int?, _ interleaves: Bool, _ change: (inout TrainingGroups.Exercise) -> Void
  ) {
    var index = exercises.indices.last
    if interleaves { index = places[row.exercise] }
    var moved: TrainingGroups.Exercise?
    if let found = index {
      if exercises[found].first.content.exercise != row.exercise {
        index = nil
      } else if let number, let last = exercises[found].numbers.last(where: { $0 != nil }) ?? nil,
        !exercises[found].goesOn(with: number, behind: last)
      {
        moved = exercises[found].isReversed ? nil : exercises[found].takeWarmUps()
        index = nil
      }
    }
    if index == nil {
      let count = counts[row.exercise, default: 0]
      counts[row.exercise] = count + 1
      var new = TrainingGroups.Exercise(first: TrainingGroups.Placed(content: row, place: place), number: count)
      if let moved { (new.sets, new.numbers) = (moved.sets, moved.numbers) }
      if interleaves { new.offset = earlier[new.key] ?? 0 }
      exercises.append(new)
      index = exercises.count - 1
      places[row.exercise] = index
    }
    guard let index else { return }
    let (superset, category) = (exercises[index].first.content.superset, exercises[index].first.content.category)
    doubt("exercises", "superset", superset.map(String.init), row.superset.map(String.init), place)
    doubt("exercises", "category", category, row.category, place)
    if let note = row.exerciseNote { exercises[index].note(note) }
    change(&exercises[index])
  }
}

extension TrainingGroups.Exercise {
  fileprivate mutating func note(_ text: String) { if noted.insert(text).inserted { notes.append(text) } }

  fileprivate mutating func add(_ set: TrainingGroups.Placed<WrittenSet>?, _ number: Int?) {
    sets.append(set)
    numbers.append(number)
  }

  /// Whether a set with this number is of this exercise: the numbers rise, or fall by one from the first on.
  fileprivate mutating func goesOn(with number: Int, behind last: Int) -> Bool {
    if numbers.count == 1, number == last - 1 { isReversed = true }
    return isReversed ? number < last : number > last
  }

  /// Removes the warm-ups at the end: they belong to the next exercise.
  fileprivate mutating func takeWarmUps() -> TrainingGroups.Exercise {
    var taken = self
    let count = zip(sets, numbers).reversed().prefix { set, number in number == nil && set?.content.set.type == .warmUp }.count
    taken.sets = sets.suffix(count)
    taken.numbers = numbers.suffix(count)
    sets.removeLast(count)
    numbers.removeLast(count)
    return taken
  }
}
