import HoldfastAudiobooks
import HoldfastInference
import HoldfastMusic
import HoldfastTool
import HoldfastWorkouts

/// `holdfast`: the command line of our four libraries, and a demo.
@main struct FourLibraries {
  static let program = Program(
    [AudiobookLibrary.description, MusicStore.description, WorkoutLog.description, InferenceStore.description], commands: [Demo.self])

  static func main() { HoldfastTool.run(program) }
}
