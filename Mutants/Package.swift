// swift-tools-version: 6.1
// The ground and its tests alone: a mutant builds nothing that it cannot reach.
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v16), .macOS(.v13)],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .target(name: "CHoldfast", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "Crypto", path: "Tests/Crypto", swiftSettings: [.unsafeFlags(["-O"])]),
    .target(name: "Holdfast", dependencies: ["CHoldfast", grdb, sqlite, "Crypto", log], swiftSettings: strict),
    .target(name: "HoldfastTransfer", dependencies: ["Holdfast", sqlite, log], swiftSettings: strict),
    .target(name: "HoldfastGRDB", dependencies: ["Holdfast", grdb], swiftSettings: strict),
    .target(name: "CHoldfastCurl", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),
    .target(name: "HoldfastHTTP", dependencies: ["CHoldfastCurl", "Holdfast"], swiftSettings: strict),
    .target(name: "HoldfastSync", dependencies: ["Holdfast", "HoldfastHTTP", "Crypto", log], swiftSettings: strict),
    .target(name: "HoldfastSyncServer", dependencies: ["Holdfast", "HoldfastSync"], swiftSettings: strict),
    .target(
      name: "HoldfastTesting", dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastSyncServer", sqlite, log],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastTests",
      dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastGRDB", "HoldfastTesting", sqlite, grdb],
      // Tests of examples, which need the libraries.
      exclude: ["Archive/RewindingExampleTests.swift", "Schema/BirdLogTests.swift"], swiftSettings: strict),
    .testTarget(
      name: "HoldfastTransferTests",
      dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastTesting", sqlite, grdb],
      swiftSettings: strict),
    // Sees and fails the file system's calls. Linux only, as the mutants are.
    .target(name: "CSystemCalls", path: "Tests/CSystemCalls"),
    .testTarget(
      name: "HarnessTests", dependencies: ["CSystemCalls", "Holdfast", "HoldfastTesting"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
