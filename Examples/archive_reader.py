"""Reads the archive of a Holdfast store, by Documentation/ArchiveFormat.md and in the words of that page.
It never changes the archive or overwrites a file. It exits with 0 if all is well, with 1 if it did nothing, and with 2 if
something is damaged or missing and it did what is proven."""
import argparse, contextlib, json, math, os, re, struct, sys, tempfile, zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path
SEGMENT_HEADER = struct.Struct(">8sIIQQIQI")  # magic, format, page size, first commit, state before, generation, 0, CRC-32
RECORD_HEADER = struct.Struct(">II")  # length and CRC-32 of the body
COMMIT_BODY = struct.Struct(">xBxxQQqqIQ20xIIH")  # from the flags to the length of the names
PAGE_ENTRY = struct.Struct(">IB")  # page number; 1 for a difference
TEXT_BODY = struct.Struct(">B3xQq")  # kind, commit, time
END_BODY = struct.Struct(">4xQI")  # last commit, number of commit records
COMMIT, LABEL, END, NOTE = 1, 2, 3, 4
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=timezone.utc), timedelta(microseconds=1)

class Wrong(Exception):
    """Something in the archive is damaged or missing. The text is a sentence for people."""
def check(is_right, sentence):
    if not is_right:
        raise Wrong(sentence)

def page_checksum(number, page):
    """What a page adds to the checksum of a state, by exclusive or; the same once more takes it away."""
    x = number << 32 | zlib.crc32(page)
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return 0 if number == 2**30 // len(page) + 1 else x ^ x >> 31  # 0: the page of SQLite's lock bytes

def shown(time):
    utc = EPOCH + time * MICROSECOND
    return f"{utc.astimezone().isoformat(' ', 'microseconds')} ({utc:%Y-%m-%dT%H:%M:%S.%fZ})"
def microseconds(text):
    return (datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text)).astimezone() - EPOCH) // MICROSECOND

class Commit:
    """A commit record: the pages that changed in the commits `first` to `last`, which are one unless merged."""
    def __init__(self, body):
        (self.flags, self.first, self.last, self.time, _, self.pages, self.state, _, changed, names) = COMMIT_BODY.unpack_from(body)
        entries = COMMIT_BODY.size + names
        content = entries + changed * PAGE_ENTRY.size
        self.tables = " ".join(body[COMMIT_BODY.size:entries].decode("utf-8", "replace").split())
        self.entries, self.content = list(PAGE_ENTRY.iter_unpack(body[entries:content])), body[content:]
    def changes(self, page_bytes):
        """For each changed page: its number, whether it is a difference, its bytes."""
        pages = self.content if self.flags & 2 or not self.content else zlib.decompress(self.content)
        check(len(pages) == len(self.entries) * page_bytes, f"Commit {self.last} does not hold the pages that it names")
        for index, (number, kind) in enumerate(self.entries):
            yield number, kind == 1, pages[index * page_bytes:(index + 1) * page_bytes]

class Segment:
    def __init__(self, path, is_newest):
        self.path, self.first, self.is_newest = path, int(path.stem), is_newest
    def read(self):
        """All bytes, once the header is right. Nothing if the newest segment ends in its header."""
        data = self.path.read_bytes()
        if self.is_newest and (len(data) < SEGMENT_HEADER.size or not any(data)):
            return b""
        magic, form, self.page_bytes, first, self.state_before, generation, _, crc = SEGMENT_HEADER.unpack_from(data)
        is_right = (crc, magic, form, first) == (zlib.crc32(data[:44]), b"HOLDFSEG", 1, self.first)
        check(is_right and generation == int(self.path.parent.name), f"{self.path}: the header is damaged, or not of this file")
        return data
    def records(self):
        """Each commit, and each label and note as (kind, commit, time, text). Only what counts."""
        data, at, last, count = self.read(), SEGMENT_HEADER.size, self.first - 1, 0
        while at < len(data):
            place = f"{self.path}, byte {at}, after commit {last}"
            length, crc = RECORD_HEADER.unpack(data[at:at + 8].ljust(8, b"\xff"))
            body = data[at + 8:at + 8 + length]
            if len(body) < length or not any(data[at:]):  # the file ends in the middle of this record
                check(self.is_newest and not holds_record(data, at + 1), f"{place}: a record is damaged, or the file was cut")
                return print(f"{place}: the last record was not finished and does not count", file=sys.stderr)
            check(body and crc == zlib.crc32(body), f"{place}: a record is damaged")
            at += 8 + length
            if body[0] == COMMIT:
                commit = Commit(body)
                check(last + 1 == commit.first <= commit.last, f"{place}: commit {commit.first} does not follow")
                last, count = commit.last, count + 1
                yield commit
            elif body[0] in (LABEL, NOTE):
                yield (*TEXT_BODY.unpack_from(body), body[TEXT_BODY.size:].decode("utf-8", "replace"))
            elif body[0] == END:
                return check(END_BODY.unpack(body) == (last, count) and at == len(data), f"{place}: the end does not fit the segment")
        check(self.is_newest, f"{self.path}: the end is missing after commit {last}")

def holds_record(data, start):
    """Whether a whole record stands after a place that cannot be read. Then that place is damaged, not unfinished."""
    records = ((at + 8, *RECORD_HEADER.unpack_from(data, at)) for at in range(start, len(data) - 8) if data[at + 8] in range(1, 5))
    return any(0 < length <= len(data) - body and crc == zlib.crc32(data[body:body + length]) for body, length, crc in records)

class Base:
    def __init__(self, path):
        self.path, self.generation, it = path.with_suffix(".sqlite"), int(path.parent.name), json.loads(path.read_bytes())
        numbers = [it[name] for name in ("format", "commit", "time_us", "page_bytes", "pages")]
        form, self.commit, self.time, self.page_bytes, self.pages = numbers
        self.state, self.reason, self.gap_from = int(it["state"], 16), it["reason"], it.get("gap_from_us")
        check(all(type(n) is int and 0 <= n < 2**57 for n in [*numbers, self.gap_from or 0]), f"{path}: a number is damaged")
        is_right = form == 1 and self.commit == int(path.stem) and self.page_bytes <= 65536
        check(is_right and ("gap_from_us" in it) != (self.reason in ("first", "regular")), f"{path}: a member is damaged")

class Database:
    """A file that begins as a copy of a base, with the checksum of its state."""
    def __init__(self, base, file):
        self.file, self.page_bytes, self.pages, self.state = file, base.page_bytes, base.pages, 0
        file.seek(0), file.truncate()
        with open(base.path, "rb") as source:
            for number, page in enumerate(iter(lambda: source.read(base.page_bytes), b""), 1):
                self.state ^= page_checksum(number, page)
                file.write(page)
        check((self.state, file.tell()) == (base.state, base.pages * base.page_bytes), f"{base.path}: not the state that is described")
    def page(self, number):
        self.file.seek((number - 1) * self.page_bytes)
        return self.file.read(self.page_bytes) if number <= self.pages else bytes(self.page_bytes)
    def apply(self, commit):
        """Cuts or fills the database and writes the pages, if that gives the commit's state."""
        state, written = self.state, {}
        for number in range(min(self.pages, commit.pages) + 1, max(self.pages, commit.pages) + 1):
            state ^= page_checksum(number, self.page(number))  # of a page that is cut, or filled with zero bytes
        for number, is_difference, page in commit.changes(self.page_bytes):
            before = written.get(number) or self.page(number)
            page = (int.from_bytes(before, "big") ^ int.from_bytes(page, "big")).to_bytes(len(page), "big") if is_difference else page
            state ^= page_checksum(number, before) ^ page_checksum(number, page)
            written[number] = page
        check(state == commit.state, f"The pages of commit {commit.last} do not give the checksum of its state")
        self.file.truncate(commit.pages * self.page_bytes)
        for number, page in written.items():
            self.file.seek((number - 1) * self.page_bytes), self.file.write(page)
        self.pages, self.state = commit.pages, state

class Archive:
    def __init__(self, path):
        self.bases, self.segments, self.complaints = [], {}, []
        for folder in sorted(path.glob("[0-9]" * 8)):
            segments = sorted(folder.glob("[0-9]" * 16 + ".segment"))
            self.segments[int(folder.name)] = [Segment(file, file == segments[-1]) for file in segments]
            for description in folder.glob("[0-9]" * 16 + ".json"):
                with self.noting(description):
                    self.bases.append(Base(description))
        self.bases.sort(key=lambda base: (base.commit, base.generation))
        self.newest = max([base.commit for base in self.bases] + [s.first - 1 for ss in self.segments.values() for s in ss], default=0)
    @contextlib.contextmanager
    def noting(self, path):
        """Says what is wrong with the archive, once, and goes on. A failure to write is not such a thing."""
        try:
            yield
        except (Wrong, ValueError, LookupError, TypeError, struct.error, zlib.error, FileNotFoundError) as error:
            sentence = str(error) if isinstance(error, Wrong) else f"{path}: damaged or missing ({error!r})"
            if sentence not in self.complaints:
                self.complaints.append(sentence)
                print(sentence, file=sys.stderr)
    def records(self):
        """Everything that counts within its segment, in order."""
        for segment in (segment for segments in self.segments.values() for segment in segments):
            with self.noting(segment.path):
                yield from segment.records()
    def commits_after(self, base):
        """The commits after a base in its generation. Each follows the one before."""
        segments, last, state, time = self.segments[base.generation], base.commit, base.state, -2**63
        begin = max((i for i, segment in enumerate(segments) if segment.first <= base.commit + 1), default=0)
        for segment in segments[begin:]:
            is_next = segment.first == last + 1
            is_right = is_next or (segment is segments[begin] and segment.first <= last)
            check(is_right, f"{segment.path}: the segment with commit {last + 1} is missing before it")
            is_right = not segment.read() or (segment.page_bytes == base.page_bytes and (not is_next or segment.state_before == state))
            check(is_right, f"{segment.path}: the state before it is not the state after commit {last}")
            for commit in (record for record in segment.records() if isinstance(record, Commit)):
                check(commit.last != base.commit or commit.state == base.state, f"{segment.path}: the base {last} does not fit it")
                if commit.last > base.commit:
                    check(commit.first == last + 1 and commit.time > time, f"Commit {commit.last} does not follow commit {last}")
                    last, state, time = commit.last, commit.state, commit.time
                    yield commit

def list_all(archive):
    for base in archive.bases:
        since = f", after a gap since {shown(base.gap_from)}" if base.gap_from is not None else ""
        print(f"base {base.commit}  {shown(base.time)}  {base.pages} pages  {base.reason}{since}")
    for record in archive.records():
        if isinstance(record, Commit):
            remark = " at the latest" * (record.flags & 1) + f", merged from {record.first}" * (record.first < record.last)
            print(f"commit {record.last}  {shown(record.time)}{remark}  {len(record.entries)} pages  {record.tables}")
        else:
            kind, commit, time, text = record
            print(f"{'label' if kind == LABEL else 'note'} after {commit}  {shown(time)}  {json.dumps(text, ensure_ascii=False)}")

def restore(archive, file, wanted, until):
    """Restores the newest proven commit up to a number and a time. Gives its number and time; None without a sound base."""
    for base in reversed([base for base in archive.bases if base.commit <= wanted and base.time <= until]):
        last = None
        with archive.noting(base.path):
            database, last, time, is_at_end = Database(base, file), base.commit, base.time, True
            for commit in archive.commits_after(base):
                if not (is_at_end := commit.last <= wanted and commit.time <= until):
                    break
                database.apply(commit)
                last, time = commit.last, commit.time
            check(wanted in (last, math.inf), f"Commit {wanted} is missing, or merged with others")
            check(not is_at_end or last == wanted or time == until or last >= archive.newest, f"A gap follows commit {last}")
        if last is not None:
            return last, time

def verify(archive):
    """Says how far the commits after each sound base are proven. Applies each commit once."""
    list(archive.records())
    with tempfile.TemporaryFile() as file:
        sound = []
        for base in archive.bases:
            with archive.noting(base.path):
                sound.append(Database(base, file) and base)
        for base, following in zip(sound, sound[1:] + [None]):
            database, reached = Database(base, file), base.commit
            is_last = following is None or following.generation != base.generation  # of its generation
            with archive.noting(base.path):
                for commit in archive.commits_after(base):
                    if not is_last and commit.last > following.commit:
                        break
                    database.apply(commit)
                    reached = commit.last
                check(reached >= (following.commit - is_last if following else archive.newest), f"A gap follows commit {reached}")
            print(f"generation {base.generation}: proven from the base {base.commit} to commit {reached}")

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.error, sys.tracebacklimit = sys.exit, 0  # every failure is one sentence, with exit code 1
    parser.add_argument("archive", type=Path)
    parser.add_argument("verb", choices=["list", "restore", "verify"])
    parser.add_argument("out", type=Path, nargs="?", help="a new file, for restore")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--commit", type=int, default=math.inf), which.add_argument("--label")
    which.add_argument("--time", type=microseconds, default=math.inf, help="ISO 8601; local if it has no offset")
    it = parser.parse_args()
    archive = Archive(it.archive)
    if (it.out is None) == (it.verb == "restore") or not archive.bases:
        sys.exit("No sound base is in the archive" if not archive.bases else "OUT belongs to restore, and only there")
    if it.out is None:
        verify(archive) if it.verb == "verify" else list_all(archive)
        return 2 if archive.complaints else 0
    if it.label is not None:
        labels = [r[1] for r in archive.records() if isinstance(r, tuple) and r[0] == LABEL and r[3] == it.label]
        it.commit = labels[-1] if labels else sys.exit(f"No label that can be read is {it.label!r}")
    if it.archive.resolve() in it.out.resolve().parents or any(os.path.exists(f"{it.out}{x}") for x in ("", "-wal", "-journal")):
        sys.exit(f"{it.out} exists, lies in the archive, or is beside a log that SQLite would take for its own")
    with open(it.out, "x+b") as file:
        try:
            commit, time = restore(archive, file, it.commit, it.time) or sys.exit("No sound base is old enough")
        except BaseException:
            os.remove(it.out)
            raise
    print(f"{'The nearest proven commit' if archive.complaints else 'Restored: commit'} is {commit}, {shown(time)}")
    return 2 if archive.complaints else 0
if __name__ == "__main__":
    sys.exit(main())
