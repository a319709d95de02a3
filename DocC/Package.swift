// swift-tools-version: 6.1
// A package of its own: an app that uses Holdfast does not resolve the plugin.
import PackageDescription

let products = [
  "Holdfast", "HoldfastTransfer", "HoldfastGRDB", "HoldfastHTTP", "HoldfastSync", "HoldfastSyncServer", "HoldfastTesting",
  "HoldfastTool", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference",
]

let package = Package(
  name: "docc",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // The plugin documents the targets that a target of this package depends on.
    .target(name: "Documented", dependencies: products.map { .product(name: $0, package: "holdfast") }, path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
