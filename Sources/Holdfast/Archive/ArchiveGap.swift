/// Why the archive's row of commits is broken: it then begins a new generation, and the base of that has this text.
/// `Documentation/WhenThingsGoWrong.md` explains each text.
enum ArchiveGap: String, Error, CaseIterable {
  case fileDiffers = "the file differs from what was archived"
  case pageSizeChanged = "the size of the pages has changed"
  case logGone = "the log is gone"
  case logShorter = "the log is shorter than it was"
  case logBegunAnew = "the log was begun anew by another program"
  case logEndWrittenAnew = "the end of the log was written anew"
  case logDiffers = "the log differs from what was archived"
  case frameDamaged = "a frame of the log is damaged"
  case logTooLong = "the commits could not be archived, and the log became too long"
  case diskFull = "the commits could not be archived, because the disk was full"
  case purged = "rows were purged"
  case archiveDamaged = "the end of the archive is damaged"
  case recordImpossible = "the archive's last record is impossible"
  case descriptionDamaged = "the description of the archive's base is damaged"
  case baseMissing = "the archive has no whole base"
}
