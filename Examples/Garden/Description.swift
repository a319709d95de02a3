public import HoldfastTransfer

// snippet: garden-description
extension Garden {
  /// For `HoldfastTool`. Lists, `show`, search and counts follow from the schema; how a journal's file is recognised does not.
  public static let description: LibraryDescription = {
    var library = LibraryDescription(Garden.self)
    library.readable.append(
      FormatDescription("garden-json", "the journal's file") { source in
        source.members.map(\.key).contains("beds") ? .certain : nil
      })
    return library
  }()
}
// end
