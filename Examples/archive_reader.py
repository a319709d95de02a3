"""Reads the archive of a Holdfast store, by Documentation/ArchiveFormat.md and in the words of that page.
It never changes the archive or overwrites a file. It exits with 0 if all is well, with 1 if it did nothing,
and with 2 if something is damaged or missing and it did what is proven."""
import argparse, collections, contextlib, functools, json, math, os, re, struct, sys, tempfile, zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path
SEGMENT_HEADER = struct.Struct(">8sI4xQQI8xI")  # magic, format, first commit, state before, generation, CRC-32
RECORD_HEADER = struct.Struct(">II")  # length and CRC-32 of the body
COMMIT_BODY = struct.Struct(">xBxxQQq8xIQ24xIH")  # flags, first, last, time, pages, state, n, t
PAGE_ENTRY = struct.Struct(">IB")  # page number; 1 for a difference
MARK_BODY = struct.Struct(">4xQq")  # commit, time
COMMIT, MARKS, END = 1, {2: "label", 4: "note"}, 3
Mark = collections.namedtuple("Mark", "kind number time text")  # a label or a note at the commit `number`
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=timezone.utc), timedelta(microseconds=1)

class Wrong(Exception): pass  # Something in the archive is damaged or missing. The text is a sentence for people.
def check(is_right, sentence):
    if not is_right:
        raise Wrong(sentence)
@functools.cache  # says each sentence once
def say(sentence):
    print(sentence, file=sys.stderr)

def page_checksum(number, page):
    """What a page adds to the checksum of a state, by exclusive or; the same once more takes it away."""
    x = number << 32 | zlib.crc32(page)
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return 0 if number == 2**30 // len(page) + 1 else x ^ x >> 31  # 0: the page of SQLite's lock bytes

def shown(time):
    return (EPOCH + time * MICROSECOND).astimezone().isoformat(" ", "microseconds")
def microseconds(text):
    return (datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text)).astimezone() - EPOCH) // MICROSECOND

class Commit:
    """The pages that changed in the commits `first` to `number`, which are one unless merged."""
    kind, text = "commit", ""
    def __init__(self, records):
        self.parts = []
        for body in records:
            flags, self.first, self.number, self.time, self.pages, self.state, n, t = COMMIT_BODY.unpack_from(body)
            entries = COMMIT_BODY.size + t
            content = entries + n * PAGE_ENTRY.size
            self.is_late, self.tables = flags & 1, body[COMMIT_BODY.size:entries].decode(errors="replace").split()
            self.parts.append((list(PAGE_ENTRY.iter_unpack(body[entries:content])), body[content:], not flags & 2))
    def changes(self, page_bytes):
        """For each changed page: its number, whether it is a difference, its bytes."""
        for entries, content, is_compressed in self.parts:
            pages = zlib.decompress(content) if is_compressed and content else content
            check(len(pages) == len(entries) * page_bytes, f"Commit {self.number} does not hold its pages")
            for index, (number, kind) in enumerate(entries):
                yield number, kind == 1, pages[index * page_bytes:(index + 1) * page_bytes]

def record_at(data, at):
    """The body of the record at a place. Nothing if no whole record stands there."""
    length, crc = RECORD_HEADER.unpack(data[at:at + 8].ljust(8, b"\xff"))
    body = data[at + 8:at + 8 + length] if length <= len(data) - at - 8 else b""
    return body if crc == zlib.crc32(body) else b""

class Segment:
    def __init__(self, path):
        self.path, self.first, self.state_before = path, int(path.stem), None
    def records(self):
        """Each commit, label and note that counts in this segment. Nothing if the header was not finished."""
        data, at, last, parts = self.path.read_bytes(), SEGMENT_HEADER.size, self.first - 1, []
        if len(data) < at or not any(data):
            return
        magic, form, first, self.state_before, generation, crc = SEGMENT_HEADER.unpack_from(data)
        right = zlib.crc32(data[:44]), b"HOLDFSEG", 1, self.first, int(self.path.parent.name)
        check((crc, magic, form, first, generation) == right, f"{self.path}: the header is damaged, or of another file")
        while at < len(data):
            place = f"{self.path}, byte {at}, after commit {last}"
            body = record_at(data, at)
            if not body:  # unfinished, if no whole record stands after it
                is_damage = any(0 < data[i + 8] < 5 and record_at(data, i) for i in range(at + 1, len(data) - 8))
                check(not is_damage, f"{place}: a record is damaged")
                break
            check(not parts or (body[0], body[4:72]) == (COMMIT, parts[0][4:72]), f"{place}: a commit is cut")
            at += RECORD_HEADER.size + len(body)
            if body[0] == COMMIT:
                parts.append(body)
                if not body[1] & 4:
                    commit, parts = Commit(parts), []
                    check(last + 1 == commit.first <= commit.number, f"{place}: commit {commit.first} does not follow")
                    yield commit
                    last = commit.number
            elif body[0] in MARKS:
                yield Mark(MARKS[body[0]], *MARK_BODY.unpack_from(body), body[MARK_BODY.size:].decode(errors="replace"))
            elif body[0] == END:
                return check((int.from_bytes(body[4:12], "big"), at) == (last, len(data)), f"{place}: a wrong end")
        if parts or at < len(data):
            say(f"{place}: the last record was not finished and does not count")

class Base:
    def __init__(self, path):
        line, crc = path.read_bytes().splitlines()
        it = json.loads(line)
        is_right = (b"%08x" % zlib.crc32(line), 1, int(path.stem)) == (crc, it["format"], it["commit"])
        check(is_right, f"{path}: the description is damaged, or of another file")
        self.path, self.generation = path.with_suffix(".sqlite"), int(path.parent.name)
        self.commit, self.time, self.page_bytes, self.pages = it["commit"], it["time_us"], it["page_bytes"], it["pages"]
        self.state, self.reason, self.gap_from = int(it["state"], 16), it["reason"], it.get("gap_from_us") or -math.inf

class Database:
    """A file that begins as a copy of a base. It has the checksum of its state and its last commit."""
    def __init__(self, base, file):
        self.file, self.page_bytes, self.pages, self.state = file, base.page_bytes, base.pages, 0
        self.last, self.time = base.commit, base.time
        file.truncate(file.seek(0))
        with open(base.path, "rb") as source:
            for number, page in enumerate(iter(lambda: source.read(base.page_bytes), b""), 1):
                self.state ^= page_checksum(number, page)
                file.write(page)
        check((self.state, file.tell()) == (base.state, base.pages * base.page_bytes), f"{base.path}: it is damaged")
    def page(self, number):
        self.file.seek((number - 1) * self.page_bytes)
        return self.file.read(self.page_bytes).ljust(self.page_bytes, b"\0")
    def apply(self, commit):
        """Cuts or fills the database and writes the pages, if that gives the commit's state."""
        state, written = self.state, []
        for number in range(min(self.pages, commit.pages) + 1, max(self.pages, commit.pages) + 1):
            state ^= page_checksum(number, self.page(number))  # of a page that is cut, or filled with zero bytes
        for number, is_difference, page in commit.changes(self.page_bytes):
            before = self.page(number)
            if is_difference:
                page = (int.from_bytes(before, "big") ^ int.from_bytes(page, "big")).to_bytes(len(page), "big")
            state ^= page_checksum(number, before) ^ page_checksum(number, page)
            written.append((number, page))
        check(state == commit.state, f"The pages of commit {commit.number} do not give the checksum of its state")
        self.file.truncate(commit.pages * self.page_bytes)
        for number, page in written:
            self.file.seek((number - 1) * self.page_bytes)
            self.file.write(page)
        self.pages, self.state, self.last, self.time = commit.pages, state, commit.number, commit.time
    def replay(self, commits, wanted=math.inf, until=math.inf):
        """Applies the commits up to a number and a time. Says whether a later one follows."""
        for commit in commits:
            check(commit.first == self.last + 1 and commit.time > self.time, f"Commit {self.last + 1} is missing")
            if commit.number > wanted or commit.time > until:
                return True
            self.apply(commit)

class Archive:
    def __init__(self, path):
        self.bases, self.segments, self.is_whole = [], {}, True
        for folder in sorted(path.glob("[0-9]" * 8)):
            self.segments[int(folder.name)] = [Segment(file) for file in sorted(folder.glob("[0-9]" * 16 + ".segment"))]
            for description in sorted(folder.glob("[0-9]" * 16 + ".json")):
                with self.noting(description):
                    self.bases.append(Base(description))
        self.newest = max([0] + [s.first - 1 for segments in self.segments.values() for s in segments])
    @contextlib.contextmanager
    def noting(self, path):
        """Says what is wrong with the archive, and goes on. A failure to write is not such a thing."""
        try:
            yield
        except (Wrong, ValueError, LookupError, TypeError, struct.error, zlib.error, FileNotFoundError) as error:
            self.is_whole = False
            say(str(error) if isinstance(error, Wrong) else f"{path}: damaged or missing ({error!r})")
    def records(self, segments, last=-1, state=None):
        """Everything in segments after a commit, once and in order. Goes on after damage."""
        for segment in segments:
            read = last if segment.first <= last else -1  # retention was killed, or the base stands in the segment
            before = state if segment.first == last + 1 else None
            with self.noting(segment.path):
                for record in segment.records():
                    check(before in (None, segment.state_before), f"{segment.path}: it does not follow commit {last}")
                    if record.number > read:
                        yield record
                    if record.kind == "commit" and record.number >= last:
                        check(record.number > last or record.state == state, f"{segment.path}: another commit {last}")
                        last, state, before = record.number, record.state, None
    def commits_after(self, base):
        segments = self.segments[base.generation]
        begin = max((i for i, segment in enumerate(segments) if segment.first <= base.commit + 1), default=0)
        records = self.records(segments[begin:], base.commit, base.state)
        return (record for record in records if record.kind == "commit")
    def all_records(self):
        return (record for segments in self.segments.values() for record in self.records(segments))

def list_all(archive):
    for base in archive.bases:
        print(f"base {base.commit}  {shown(base.time)}  {base.pages} pages  {base.reason}")
    for it in archive.all_records():
        if it.kind == "commit":
            remark = " at the latest" * it.is_late + f", merged from {it.first}" * (it.first < it.number)
            print(f"commit {it.number}  {shown(it.time)}{remark}  {it.pages} pages  {' '.join(it.tables)}")
        else:
            print(f"{it.kind} after {it.number}  {shown(it.time)}  {json.dumps(it.text, ensure_ascii=False)}")

def restore(archive, file, wanted, until):
    """Restores the newest proven commit up to a number and a time. Gives None without a sound base."""
    for base in reversed([base for base in archive.bases if base.commit <= wanted and base.time <= until]):
        with archive.noting(base.path):
            it = Database(base, file)
            with archive.noting(base.path):
                follows = it.replay(archive.commits_after(base), wanted, until)
                check(wanted in (it.last, math.inf), f"Commit {wanted} is missing, or merged with others")
                check(follows or it.last >= min(wanted, archive.newest) or it.time == until, f"A gap after {it.last}")
            return it

def verify(archive):
    """Says how far the commits after each sound base are proven. Applies each commit once."""
    list(archive.all_records())
    following = None
    with tempfile.TemporaryFile() as file:
        for base in reversed(archive.bases):
            with archive.noting(base.path):
                it = Database(base, file)
                goes_on = following and following.generation == base.generation
                with archive.noting(base.path):
                    it.replay(archive.commits_after(base), following.commit if goes_on else math.inf)
                    # After a gap the numbers may be far higher. The base tells when the gap began, if that was known.
                    least = following.commit if goes_on else 0 if following else archive.newest
                    check(it.last >= least and (not following or it.time >= following.gap_from), f"A gap after {it.last}")
                print(f"generation {base.generation}: proven from the base {base.commit} to commit {it.last}")
                following = base

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.error, sys.tracebacklimit = sys.exit, 0  # every failure is one sentence, with exit code 1
    parser.add_argument("archive", type=Path)
    parser.add_argument("verb", choices=["list", "restore", "verify"])
    parser.add_argument("out", type=Path, nargs="?", help="a new file, for restore")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--commit", type=int, default=math.inf)
    which.add_argument("--label")
    which.add_argument("--time", type=microseconds, default=math.inf, help="ISO 8601; local if it has no offset")
    it = parser.parse_args()
    archive = Archive(it.archive)
    if (it.out is None) == (it.verb == "restore") or not archive.bases:
        sys.exit("No sound base is in the archive" if not archive.bases else "OUT belongs to restore, and only there")
    if it.out is None:
        verify(archive) if it.verb == "verify" else list_all(archive)
        return 0 if archive.is_whole else 2
    if it.label is not None:
        labels = [mark.number for mark in archive.all_records() if (mark.kind, mark.text) == ("label", it.label)]
        it.commit = labels[-1] if labels else sys.exit(f"No label that can be read is {it.label!r}")
    stands = any(os.path.exists(f"{it.out}{suffix}") for suffix in ("", "-wal", "-journal"))
    if stands or it.archive.resolve() in it.out.resolve().parents:
        sys.exit(f"{it.out} exists, lies in the archive, or is beside a log that SQLite would take for its own")
    with open(it.out, "x+b") as file, contextlib.ExitStack() as undo:
        undo.callback(os.remove, it.out)
        restored = restore(archive, file, it.commit, it.time) or sys.exit("No sound base is old enough")
        undo.pop_all()
    print(f"Restored commit {restored.last}, {shown(restored.time)}")
    return 0 if archive.is_whole else 2
if __name__ == "__main__":
    sys.exit(main())
