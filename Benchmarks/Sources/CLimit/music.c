#include "cmusic.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "reading.h"

#define TRACK_COLUMNS(prefix)                                                                                                  \
  prefix "id, " prefix "title, " prefix "artist, " prefix "album, " prefix "album_artist, " prefix "is_compilation, " prefix    \
         "genre, " prefix "year, " prefix "track_number, " prefix "disc_number, " prefix "duration, " prefix "file_url, " prefix \
         "availability, " prefix "file_size, " prefix "file_modified_at, " prefix "content_hash, " prefix "artwork_url, " prefix \
         "artwork_hash, " prefix "play_count, " prefix "last_played_at, " prefix "rating, " prefix "added_at, " prefix           \
         "persistent_id, " prefix "metadata"

enum statement { TRACKS, PLAYLISTS, ENTRIES, SEARCH, BEGIN, COMMIT, STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [TRACKS] = "SELECT " TRACK_COLUMNS("") " FROM tracks ORDER BY rowid",
    [PLAYLISTS] = "SELECT id, name, parent_id, is_folder, persistent_id FROM collections ORDER BY position, id",
    [ENTRIES] = "SELECT collection_id, track_id FROM collection_tracks ORDER BY collection_id, position, id",
    [SEARCH] = "SELECT " TRACK_COLUMNS("t.") " FROM tracks_search f JOIN tracks t ON t.rowid = f.rowid "
               "WHERE tracks_search MATCH ?1 LIMIT ?2",
    [BEGIN] = "BEGIN",
    [COMMIT] = "COMMIT",
};

_Static_assert(STATEMENTS <= CONNECTION_STATEMENTS, "a connection has room for all statements");

int cmusic_open(const char *path, cconnection **out) { return cconnection_open(path, texts, STATEMENTS, out); }

static int64_t read_integer(sqlite3_stmt *row, int column, bool *present) {
  *present = sqlite3_column_type(row, column) != SQLITE_NULL;
  return *present ? sqlite3_column_int64(row, column) : 0;
}

static int read_track(sqlite3_stmt *row, cmusic_track *track) {
  int failed = climit_read_id(row, 0, &track->id) | climit_read_text(row, 1, &track->title) | climit_read_text(row, 2, &track->artist);
  failed |= climit_read_text(row, 3, &track->album) | climit_read_text(row, 4, &track->album_artist);
  track->is_compilation = sqlite3_column_int64(row, 5) != 0;
  failed |= climit_read_text(row, 6, &track->genre);
  track->year = read_integer(row, 7, &track->has_year);
  track->track_number = read_integer(row, 8, &track->has_track_number);
  track->disc_number = read_integer(row, 9, &track->has_disc_number);
  track->has_duration = sqlite3_column_type(row, 10) != SQLITE_NULL;
  track->duration = sqlite3_column_double(row, 10);
  failed |= climit_read_text(row, 11, &track->file_url) | climit_read_text(row, 12, &track->availability);
  track->file_size = read_integer(row, 13, &track->has_file_size);
  track->file_modified_at = read_integer(row, 14, &track->has_file_modified_at);
  failed |= climit_read_text(row, 15, &track->content_hash) | climit_read_text(row, 16, &track->artwork_url);
  failed |= climit_read_text(row, 17, &track->artwork_hash);
  track->play_count = sqlite3_column_int64(row, 18);
  track->last_played_at = read_integer(row, 19, &track->has_last_played_at);
  track->rating = read_integer(row, 20, &track->has_rating);
  track->added_at = sqlite3_column_int64(row, 21);
  return failed | climit_read_text(row, 22, &track->persistent_id) | climit_read_text(row, 23, &track->metadata);
}

static int load_tracks(sqlite3_stmt *statement, cmusic_library *library, size_t first) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    library->tracks = climit_room(library->tracks, library->track_count, &capacity, first, sizeof *library->tracks);
    if (!library->tracks) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    failed = read_track(statement, &library->tracks[library->track_count++]);
  }
  return cconnection_finish(statement, code, failed);
}

static int load_playlists(sqlite3_stmt *statement, cmusic_library *library) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    library->playlists = climit_room(library->playlists, library->playlist_count, &capacity, 128, sizeof *library->playlists);
    if (!library->playlists) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    cmusic_playlist *playlist = &library->playlists[library->playlist_count++];
    memset(playlist, 0, sizeof *playlist);
    failed = climit_read_id(statement, 0, &playlist->id) | climit_read_text(statement, 1, &playlist->name);
    playlist->has_parent = sqlite3_column_type(statement, 2) != SQLITE_NULL;
    if (playlist->has_parent) failed |= climit_read_id(statement, 2, &playlist->parent_id);
    playlist->is_folder = sqlite3_column_int64(statement, 3) != 0;
    failed |= climit_read_text(statement, 4, &playlist->persistent_id);
  }
  return cconnection_finish(statement, code, failed);
}

// Entries arrive grouped by playlist, and there are few playlists: a look through them where the id changes.
static cmusic_playlist *owner(cmusic_library *library, const climit_id *id) {
  for (size_t i = 0; i < library->playlist_count; i++) {
    if (!memcmp(library->playlists[i].id.bytes, id->bytes, 16)) return &library->playlists[i];
  }
  return NULL;
}

static int load_entries(sqlite3_stmt *statement, cmusic_library *library) {
  cmusic_playlist *playlist = NULL;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    climit_id id;
    failed = climit_read_id(statement, 0, &id);
    if (failed) continue;
    if (!playlist || memcmp(playlist->id.bytes, id.bytes, 16)) playlist = owner(library, &id);
    if (!playlist) continue;
    playlist->tracks = climit_room(playlist->tracks, playlist->track_count, &playlist->track_capacity, 64, sizeof *playlist->tracks);
    if (!playlist->tracks) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    failed = climit_read_id(statement, 1, &playlist->tracks[playlist->track_count++]);
  }
  return cconnection_finish(statement, code, failed);
}

int cmusic_load(cconnection *store, cmusic_library *library) {
  memset(library, 0, sizeof *library);
  int code = cconnection_run(store, BEGIN);
  if (code == SQLITE_OK) code = load_tracks(store->statements[TRACKS], library, 1024);
  if (code == SQLITE_OK) code = load_playlists(store->statements[PLAYLISTS], library);
  if (code == SQLITE_OK) code = load_entries(store->statements[ENTRIES], library);
  int committed = cconnection_run(store, COMMIT);
  return code == SQLITE_OK ? committed : code;
}

int cmusic_search(cconnection *store, const char *words, int limit, cmusic_library *found) {
  memset(found, 0, sizeof *found);
  // Each word becomes "word"*.
  char query[512];
  size_t length = 0;
  for (const char *word = words; *word;) {
    size_t count = strcspn(word, " ");
    if (length + count + 5 > sizeof query) return SQLITE_TOOBIG;
    query[length++] = '"';
    memcpy(query + length, word, count);
    length += count;
    query[length++] = '"';
    query[length++] = '*';
    query[length++] = ' ';
    word += count + (word[count] == ' ');
  }
  int code = cconnection_run(store, BEGIN);
  sqlite3_stmt *statement = store->statements[SEARCH];
  sqlite3_bind_text(statement, 1, query, (int)length, SQLITE_STATIC);
  sqlite3_bind_int(statement, 2, limit);
  if (code == SQLITE_OK) code = load_tracks(statement, found, 64);
  int committed = cconnection_run(store, COMMIT);
  return code == SQLITE_OK ? committed : code;
}

void cmusic_free(cmusic_library *library) {
  for (size_t i = 0; i < library->track_count; i++) {
    cmusic_track *t = &library->tracks[i];
    char *texts[] = {t->title.bytes,        t->artist.bytes,       t->album.bytes,       t->album_artist.bytes,
                     t->genre.bytes,        t->file_url.bytes,     t->availability.bytes, t->content_hash.bytes,
                     t->artwork_url.bytes,  t->artwork_hash.bytes, t->persistent_id.bytes, t->metadata.bytes};
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) free(texts[j]);
  }
  for (size_t i = 0; i < library->playlist_count; i++) {
    free(library->playlists[i].name.bytes);
    free(library->playlists[i].persistent_id.bytes);
    free(library->playlists[i].tracks);
  }
  free(library->tracks);
  free(library->playlists);
  memset(library, 0, sizeof *library);
}
