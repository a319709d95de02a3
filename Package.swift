// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Apple's systems have CryptoKit.
let crypto: Target.Dependency = .product(
  name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux, .android, .windows, .wasi, .openbsd]))

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v16), .macOS(.v13)],
  products: [
    .library(name: "Holdfast", targets: ["Holdfast"]),
    .library(name: "HoldfastTransfer", targets: ["HoldfastTransfer"]),
    .library(name: "HoldfastGRDB", targets: ["HoldfastGRDB"]),
    .library(name: "HoldfastHTTP", targets: ["HoldfastHTTP"]),
    .library(name: "HoldfastAudiobooks", targets: ["HoldfastAudiobooks"]),
    .library(name: "HoldfastMusic", targets: ["HoldfastMusic"]),
    .library(name: "HoldfastWorkouts", targets: ["HoldfastWorkouts"]),
    .library(name: "HoldfastInference", targets: ["HoldfastInference"]),
    .library(name: "HoldfastSync", targets: ["HoldfastSync"]),
    .library(name: "HoldfastSyncServer", targets: ["HoldfastSyncServer"]),
    .library(name: "HoldfastTesting", targets: ["HoldfastTesting"]),
    .library(name: "HoldfastTool", targets: ["HoldfastTool"]),
    .executable(name: "holdfast", targets: ["HoldfastCommand"]),
    .executable(name: "holdfast-simulate", targets: ["HoldfastSimulator"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    // zlib belongs to Apple's systems and to every Linux; the archive compresses with it.
    .target(name: "CHoldfast", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "Holdfast",
      dependencies: [
        "CHoldfast",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        crypto,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "HoldfastTransfer",
      dependencies: ["Holdfast", .product(name: "GRDBSQLite", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log")],
      swiftSettings: strict),
    .target(
      name: "HoldfastGRDB",
      dependencies: ["Holdfast", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: strict),
    // libcurl belongs to every Linux that has Foundation; Apple's systems use URLSession.
    .target(name: "CHoldfastCurl", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),
    .target(name: "HoldfastHTTP", dependencies: ["CHoldfastCurl", "Holdfast"], swiftSettings: strict),
    .target(name: "HoldfastSync", dependencies: ["HoldfastHTTP", "Holdfast", crypto], swiftSettings: strict),
    // The merging half of a server, over a store. The package Server makes a program of it.
    .target(name: "HoldfastSyncServer", dependencies: ["HoldfastSync", "Holdfast"], swiftSettings: strict),
    // As another package's library: without `package` symbols.
    .target(
      name: "HoldfastAudiobooks", dependencies: ["Holdfast", "HoldfastTransfer"], packageAccess: false, swiftSettings: strict),
    // libxml2 belongs to Apple's systems, and on Linux to the packages that the build needs.
    .target(name: "CHoldfastXML", cSettings: [.headerSearchPath("system")], linkerSettings: [.linkedLibrary("xml2")]),
    .target(
      name: "HoldfastMusic", dependencies: ["CHoldfastXML", "Holdfast", "HoldfastTransfer"], packageAccess: false, swiftSettings: strict),
    .target(
      name: "HoldfastWorkouts", dependencies: ["Holdfast", "HoldfastTransfer"], packageAccess: false, swiftSettings: strict),
    .target(
      name: "HoldfastInference", dependencies: ["HoldfastHTTP", "Holdfast", "HoldfastTransfer", crypto], packageAccess: false,
      swiftSettings: strict),
    .target(
      name: "HoldfastTesting",
      dependencies: [
        "HoldfastSync", "HoldfastSyncServer", "Holdfast", "HoldfastTransfer", .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // As an app's own package: without `package` symbols.
    .target(
      name: "ReadingListExample", dependencies: ["Holdfast", "HoldfastTransfer"], path: "Examples/ReadingList", packageAccess: false,
      swiftSettings: strict),
    .target(
      name: "ShelvesExample", dependencies: ["ReadingListExample", "Holdfast", "HoldfastTransfer"], path: "Examples/Shelves",
      packageAccess: false, swiftSettings: strict),
    .target(
      name: "MovingExample", dependencies: ["Holdfast", "HoldfastTransfer"], path: "Examples/Moving", packageAccess: false,
      swiftSettings: strict),
    .target(
      name: "GardenExample", dependencies: ["Holdfast", "HoldfastTransfer"], path: "Examples/Garden", packageAccess: false,
      swiftSettings: strict),
    .target(
      name: "Examples",
      dependencies: [
        "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference", "HoldfastSync",
        "HoldfastSyncServer",
      ],
      path: "Examples",
      exclude: [
        "library.json", "Library.xml", "strong.csv", "runanywhere.db", "ReadingList", "ReadingListTests", "Shelves", "ShelvesTests",
        "Moving", "MovingTests", "Garden", "GardenCommand", "GardenTests", "archive_reader.py", "sync_client.py",
      ],
      swiftSettings: strict),
    // The command line of any libraries. Only its own dependents build ArgumentParser.
    .target(
      name: "HoldfastTool",
      dependencies: [
        "Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastHTTP", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "HoldfastCommand",
      dependencies: [
        "HoldfastTool", "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "garden", dependencies: ["GardenExample", "HoldfastTool"], path: "Examples/GardenCommand", packageAccess: false,
      swiftSettings: strict),
    .executableTarget(
      name: "HoldfastSimulator",
      dependencies: [
        "HoldfastSync", "HoldfastSyncServer", "Holdfast", "HoldfastTesting", .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastTests",
      dependencies: [
        "Holdfast", "HoldfastTransfer", "HoldfastGRDB", "HoldfastTesting", "Examples",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastTransferTests",
      dependencies: [
        "Holdfast", "HoldfastTransfer", "HoldfastTesting",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastHTTPTests", dependencies: ["HoldfastHTTP", "Holdfast", "HoldfastTesting"], swiftSettings: strict),
    .testTarget(
      name: "HoldfastSyncTests",
      dependencies: [
        "HoldfastSimulator", "HoldfastSync", "HoldfastSyncServer", "HoldfastHTTP", "Holdfast", "HoldfastTesting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastAudiobooksTests",
      dependencies: [
        "HoldfastAudiobooks", "Holdfast", "HoldfastTransfer", "HoldfastTesting", .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastMusicTests",
      dependencies: [
        "HoldfastMusic", "Examples", "Holdfast", "HoldfastTransfer", "HoldfastTesting", .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastWorkoutsTests",
      dependencies: [
        "HoldfastWorkouts", "Examples", "Holdfast", "HoldfastTransfer", "HoldfastTesting",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastInferenceTests",
      dependencies: [
        "HoldfastInference", "Examples", "Holdfast", "HoldfastTransfer", "HoldfastTesting",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "ReadingListTests", dependencies: ["ReadingListExample", "Holdfast", "HoldfastTransfer", "HoldfastTesting"],
      path: "Examples/ReadingListTests",
      exclude: ["Fixtures"], packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "ShelvesTests",
      dependencies: ["ShelvesExample", "ReadingListExample", "Holdfast", "HoldfastTransfer", "HoldfastTesting"],
      path: "Examples/ShelvesTests", packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "GardenTests", dependencies: ["garden", "HoldfastCommand", "GardenExample", "Holdfast", "HoldfastTransfer", "HoldfastTesting"],
      path: "Examples/GardenTests", exclude: ["Fixtures"], packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "MovingTests",
      dependencies: [
        "MovingExample", "Holdfast", "HoldfastTransfer", "HoldfastTesting", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Examples/MovingTests", packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "HoldfastToolTests",
      dependencies: [
        "HoldfastTool", "HoldfastCommand", "Holdfast", "HoldfastTransfer", "HoldfastTesting", "HoldfastAudiobooks", "HoldfastMusic",
        "HoldfastWorkouts", "HoldfastInference", "HoldfastSync", "HoldfastSyncServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Fixtures", "Golden"],
      swiftSettings: strict),
    .testTarget(name: "HouseTests", dependencies: ["Holdfast"], exclude: ["Fixtures"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
