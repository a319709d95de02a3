// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let kit = [
  "Holdfast", "HoldfastTransfer", "HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference", "HoldfastTesting",
].map { Target.Dependency.product(name: $0, package: "holdfast") }

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v13)],
  products: [.executable(name: "holdfast-fuzz", targets: ["HoldfastFuzz"])],
  dependencies: [.package(name: "holdfast", path: "..")],
  targets: [
    .executableTarget(name: "HoldfastFuzz", dependencies: kit, swiftSettings: strict),
    // Starts the program, too, which is built beside the tests.
    .testTarget(name: "ProofTests", dependencies: ["HoldfastFuzz"] + kit, swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
