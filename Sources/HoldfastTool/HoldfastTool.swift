import Foundation
public import HoldfastTransfer

/// Runs this process as the command line of these libraries: reads its arguments, does the work, and ends it with the exit code.
///
/// With one library or several, every command of `holdfast` is there: `import`, `list`, `show`, `check`, `restore`, `sync` and the others.
/// The command is called as its executable file, also in its help. The exit codes and the JSON documents are those of `holdfast`, in
/// `Documentation/CommandLine.md`. A store of a library that is not among these is shown as its file describes it.
///
/// ```swift
/// @main struct GardenCommand {
///   static func main() { HoldfastTool.run([Garden.description]) }
/// }
/// ```
///
/// Call it once, as the first thing that the process does. It forbids core dumps, because they would hold keys, and ignores SIGPIPE.
///
/// - Parameter libraries: in the order in which help and `formats` name them.
public func run(_ libraries: [LibraryDescription]) -> Never { run(Program(libraries)) }

/// The same for a program with commands of its own.
package func run(_ program: Program) -> Never {
  var named = program
  if let file = CommandLine.arguments.first, !file.isEmpty { named.name = URL(fileURLWithPath: file).lastPathComponent }
  Program.current = named
  exit(RootCommand.run(Array(CommandLine.arguments.dropFirst()), Console()).rawValue)
}
