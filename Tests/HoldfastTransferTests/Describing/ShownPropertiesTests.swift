import Foundation
import Holdfast
import HoldfastTransfer
import Testing

/// What programs see of a value follows from its properties.
@Suite("Shown properties") struct ShownPropertiesTests {
  private enum Words {}
  private enum Size: String { case small }

  private struct Leaf {
    var widthCM: Double?
    var isDry = false
  }

  private struct Plant {
    var id = NewID.derived(from: "plant")
    var sownAt: Date? = Date(timeIntervalSince1970: 0)
    var kind: OpenWord<Words> = "herb"
    var size: Size? = .small
    var count = 1
    var largeCount: Int64 = 2
    var note: String?
    var isRare: Bool? = true
    var leaves = [Leaf(widthCM: 1), Leaf()]
    var best: Leaf? = Leaf(widthCM: 2)
    var worst: Leaf?
    var more: [String: JSONValue] = ["a": .null]
    var secret = "s"
    var tags: [String] = []
    private let hidden = 7
    var computed: Int { hidden }
  }

  @Test("each stored property is a member in snake case, by its type; nil is null; what differs is as it was said, or left out")
  func members() {
    let properties = ShownProperties { value in
      switch value {
      case let plant as Plant: ["secret": nil, "hidden": nil, "name": .text("Basil"), "count": .text(String(plant.count))]
      case is Leaf: ["is_dry": nil]
      default: [:]
      }
    }
    #expect(
      properties.object(of: Plant()).canonicalText()
        == """
        {"best":{"width_cm":2.0},"count":"1","id":"\(IDCodec.lowercase(NewID.derived(from: "plant")))","is_rare":true,"kind":"herb",\
        "large_count":2,"leaves":[{"width_cm":1.0},{"width_cm":null}],"more":{"a":null},"name":"Basil","note":null,"size":"small",\
        "sown_at":"1970-01-01T00:00:00.000Z","tags":[],"worst":null}
        """)
    #expect(ShownProperties().list(of: [Leaf(widthCM: 3)]).json.canonicalText() == #"[{"is_dry":false,"width_cm":3.0}]"#)
  }

  private enum Soil {
    case sandy
    case mixed(parts: Int)
  }

  private struct Bed {
    var depth: Float = 0.1
    var length = CGFloat(2.5)
    var unknown = Double.nan
    var ph: UInt8 = 7
    var change: Int32 = -3
    var seeds = UInt64.max
    var price = Decimal(string: "12.34")
    var colours: Set<String> = ["red", "blue"]
    var names = ["de": "Beet"]
    var counts: [Size: [Int]] = [.small: [1]]
    var years = [2025: true]
    var none: [String: Int] = [:]
    var photo = Data([0, 255])
    var page = URL(string: "https://example.org/a?b=c")
    var soil = Soil.sandy
    var under: Soil? = .mixed(parts: 2)
    var range = (1, "a")
    var start = "abc".prefix(2)
    var initial: Character = "a"
    var leaf: [String: Leaf] = ["a": Leaf()]
  }

  @Test("numbers of every type, bytes, URLs, sets and dictionaries are shown as such, and a value of any other type by its description")
  func types() {
    #expect(
      ShownProperties().object(of: Bed()).canonicalText()
        == """
        {"change":-3,"colours":["blue","red"],"counts":{"small":[1]},"depth":0.1,"initial":"a","leaf":{"a":{"is_dry":false,"width_cm":null}},\
        "length":2.5,"names":{"de":"Beet"},"none":{},"page":"https://example.org/a?b=c","ph":7,"photo":{"base64":"AP8="},"price":12.34,\
        "range":"(1, \\"a\\")","seeds":"18446744073709551615","soil":"sandy","start":"ab","under":"mixed(parts: 2)","unknown":null,\
        "years":{"2025":true}}
        """)
  }
}
