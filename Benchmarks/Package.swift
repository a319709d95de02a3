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
        .product(name: "AudiobookLibrary", package: "holdfast"),
        .product(name: "MusicLibrary", package: "holdfast"),
        .product(name: "WorkoutLog", package: "holdfast"),
        .product(name: "InferenceStore", package: "holdfast"),
        .product(name: "Holdfast", package: "holdfast"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
