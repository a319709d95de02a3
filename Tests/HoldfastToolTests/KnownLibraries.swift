@testable import HoldfastCommand
@testable import HoldfastTool

/// Lets the commands in this process know what `holdfast` knows: for tests that read commands without running the program.
func knowFourLibraries() { Program.current = FourLibraries.program }
