import Holdfast
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
    // With a column of its own, in cans of 10 litres; the plant only for programs.
    let watering = ShownFields<Watering>(["cans": { .number($0.litres / 10) }])
    library.lists.removeAll { $0.name == "waterings" }
    library.lists.append(
      ListDescription(
        "waterings", "newest first", watering.titled(["watered_at": "WATERED", "litres": "LITRES", "cans": "CANS", "plant_id": nil]),
        by: Listing(columns: [("watered_at", .number), ("id", .text)], isDescending: true)))
    return library
  }()
}
// end
