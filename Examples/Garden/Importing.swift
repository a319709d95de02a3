import Foundation
public import Holdfast
public import HoldfastTransfer

// snippet: garden-import
/// `{"beds": [{"id": …, "name": …}], "plants": [{"id": …, "bed": …, "place": 1, "name": …}], "waterings": [{"id": …, "plant": …}]}`
extension Garden: ImportingLibrary {
  static let beds: FieldTable<Bed> = [.required("id", \.id, .id), .required("name", \.name, .text)]
  static let plants: FieldTable<Plant> = [
    .required("id", \.id, .id),
    .required("bed", \.bedID, .id),
    .required("place", \.position, .int64),
    .required("name", \.name, .text),
    .optional("variety", \.variety, .text),
    .optional("sown", \.sownAt, .iso8601),
    .kept("tags", \.tags, .texts),
  ]
  static let waterings: FieldTable<Watering> = [
    .required("id", \.id, .id),
    .required("plant", \.plantID, .id),
    .required("at", \.wateredAt, .iso8601),
    .required("litres", \.litres, .double),
  ]

  /// The importer for the journal's file, or for what `export(to:)` wrote.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    if PortableImport.recognises(document) { return try PortableImport(document, schemas: [schema]) }
    return try JSONListImport(
      "garden-json", document,
      [.list("beds", of: "a bed", beds), .list("plants", of: "a plant", plants), .list("waterings", of: "a watering", waterings)])
  }
}
// end
