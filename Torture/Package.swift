// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "torture",
  platforms: [.macOS(.v15)],
  products: [
    // Loaded into the tested process before the system's library, so it has to be one of its own.
    .library(name: "TortureShim", type: .dynamic, targets: ["TortureShim"]),
    .executable(name: "torture", targets: ["Torture"]),
  ],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "TortureShim"),
    .target(name: "CSteps", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Torture",
      dependencies: [
        "CSteps",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTransfer", package: "holdfast"),
        .product(name: "HoldfastSync", package: "holdfast"),
        .product(name: "HoldfastAudiobooks", package: "holdfast"),
        // Not linked: the tool is built beside this program, which starts it.
        .product(name: "holdfast", package: "holdfast"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
