import Holdfast

/// Makes workouts of rows, one after the other: rows of one start and name that follow each other are a workout.
///
/// Where such rows come again later in the file, as in one that was put together of several, the workout goes on: an exercise that it has
/// already is meant again, any other comes behind those.
struct TrainingGroups {
  /// Something with the place that it has in the file.
  struct Placed<Content> {
    var content: Content
    var place: CSVPlace
  }

  struct Exercise {
    var first: Placed<TrainingRow>
    /// Counted among those of its name that follow each other.
    var number: Int
    var notes: [String] = []
    /// Nil where a set cannot be imported: those behind it keep their places.
    var sets: [Placed<WrittenSet>?] = []
    fileprivate var numbers: [Int?] = []
    fileprivate var noted: Set<String> = []
  }

  struct Workout {
    var first: Placed<TrainingRow>
    /// False where it goes on.
    var begins: Bool
    /// How many exercises it has before these.
    var offset: Int
    var exercises: [Exercise] = []
    fileprivate var counts: [String: Int] = [:]
    /// The last exercise of each name.
    fileprivate var places: [String: Int] = [:]
  }

  private let interleaves: Bool
  private var open: Workout?
  /// How many exercises each workout has so far.
  private var seen: [TrainingRow.Head: Int] = [:]

  init(interleaves: Bool) { self.interleaves = interleaves }

  /// Returns the workout that ends with the row before.
  mutating func take(_ row: TrainingRow, at place: CSVPlace) -> Workout? {
    var done: Workout?
    if open?.first.content.head != row.head {
      done = finish()
      let known = seen[row.head]
      open = Workout(first: Placed(content: row, place: place), begins: known == nil, offset: known ?? 0)
    }
    open?.complete(row)
    for part in row.parts { open?.take(part, of: row, at: place, interleaves) }
    return done
  }

  /// The last one.
  mutating func finish() -> Workout? {
    guard let done = open else { return nil }
    seen[done.first.content.head] = done.offset + done.exercises.count
    open = nil
    return done
  }
}

extension TrainingGroups.Workout {
  /// What the first row leaves open, a later one may say.
  fileprivate mutating func complete(_ row: TrainingRow) {
    first.content.note = first.content.note ?? row.note
    if first.content.durationSeconds == nil {
      (first.content.durationSeconds, first.content.writtenDuration) = (row.durationSeconds, row.writtenDuration)
    }
    first.content.end = first.content.end ?? row.end
  }

  fileprivate mutating func take(_ part: TrainingRow.Part, of row: TrainingRow, at place: CSVPlace, _ interleaves: Bool) {
    switch part {
    case .rest: break
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
      } else if let number, let last = exercises[found].numbers.last(where: { $0 != nil }) ?? nil, number <= last {
        moved = exercises[found].takeWarmUps()
        index = nil
      }
    }
    if index == nil {
      let count = counts[row.exercise, default: 0]
      counts[row.exercise] = count + 1
      var new = TrainingGroups.Exercise(first: TrainingGroups.Placed(content: row, place: place), number: count)
      if let moved { (new.sets, new.numbers) = (moved.sets, moved.numbers) }
      exercises.append(new)
      index = exercises.count - 1
      places[row.exercise] = index
    }
    guard let index else { return }
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

  /// Those at the end belong to what begins after them.
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
