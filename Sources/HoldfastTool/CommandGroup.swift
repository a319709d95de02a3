import ArgumentParser

/// A command with actions, such as `snapshot list STORE`. The action may stand before the store or behind it.
protocol CommandGroup: Subcommand {
  associatedtype Action: RawRepresentable & CaseIterable where Action.RawValue == String

  /// Whether the store is the first argument for the parser, and the action the second.
  static var takesStoreFirst: Bool { get }
}

extension CommandGroup {
  static var takesStoreFirst: Bool { false }
  static var actions: [String] { Action.allCases.map(\.rawValue) }

  /// The same arguments with store and action in the parser's order. Both stand directly behind the name of the group; where both or
  /// neither may be an action, nothing changes.
  fileprivate static func ordered(_ arguments: [String]) -> [String] {
    guard arguments.count > 2, !arguments[2].hasPrefix("-") else { return arguments }
    let isAction = arguments[1...2].map { Action(rawValue: $0) != nil }
    guard isAction == (takesStoreFirst ? [true, false] : [false, true]) else { return arguments }
    var ordered = arguments
    ordered.swapAt(1, 2)
    return ordered
  }
}

extension RootCommand {
  static var groups: [any CommandGroup.Type] { configuration.subcommands.compactMap { $0 as? any CommandGroup.Type } }

  /// The arguments as the parser wants them: the one place in which words change their order.
  static func ordered(_ arguments: [String]) -> [String] {
    groups.first { $0._commandName == arguments.first }?.ordered(arguments) ?? arguments
  }
}
