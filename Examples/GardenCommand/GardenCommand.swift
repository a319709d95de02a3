import GardenExample
import HoldfastTool

// snippet: garden-command
@main struct GardenCommand {
  static func main() { HoldfastTool.run([Garden.description]) }
}
// end
