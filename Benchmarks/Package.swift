// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "CLimit", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CLimit",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HoldfastAudiobooks", package: "holdfast"),
        .product(name: "HoldfastMusic", package: "holdfast"),
        .product(name: "HoldfastWorkouts", package: "holdfast"),
        .product(name: "HoldfastInference", package: "holdfast"),
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTransfer", package: "holdfast"),
        .product(name: "HoldfastSync", package: "holdfast"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
