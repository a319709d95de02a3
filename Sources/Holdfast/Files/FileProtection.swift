import Foundation

extension StoreFiles {
  /// Gives a new file (a store or its copy) the protection class of `options`. SQLite gives the log and its index the class of the file.
  ///
  /// Does nothing on platforms without such classes. Not run on the platforms where Holdfast is tested.
  func protect(_ options: StoreOptions) throws {
    #if os(iOS)
      do {
        try FileManager.default.setAttributes([.protectionKey: options.fileProtection], ofItemAtPath: path)
      } catch {
        throw DurableFile.failure(error, url)
      }
    #endif
  }

  /// Does nothing on platforms without backups of the device. Not run on the platforms where Holdfast is tested.
  func leaveOutOfBackups(_ snapshots: URL, _ options: StoreOptions) throws {
    #if canImport(Darwin)
      var (folder, values) = (snapshots, URLResourceValues())
      values.isExcludedFromBackup = options.snapshots.leavesOutOfDeviceBackups
      do {
        try folder.setResourceValues(values)
      } catch {
        throw DurableFile.failure(error, snapshots)
      }
    #endif
  }
}
