#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "store.h"

// Value of a hex digit, 0xFF for any other byte.
static uint8_t digits[256];

__attribute__((constructor)) static void fill_digits(void) {
  memset(digits, 0xFF, sizeof digits);
  for (int i = 0; i < 10; i++) digits['0' + i] = (uint8_t)i;
  for (int i = 0; i < 6; i++) digits['a' + i] = digits['A' + i] = (uint8_t)(10 + i);
}

int climit_read_id(sqlite3_stmt *row, int column, climit_id *id) {
  static const uint8_t places[16] = {0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
  const uint8_t *text = sqlite3_column_text(row, column);
  if (!text || sqlite3_column_bytes(row, column) != 36) return SQLITE_MISMATCH;
  uint8_t seen = 0;
  for (int i = 0; i < 16; i++) {
    uint8_t high = digits[text[places[i]]], low = digits[text[places[i] + 1]];
    seen |= high | low;
    id->bytes[i] = (uint8_t)(high << 4 | (low & 15));
  }
  return seen > 15 ? SQLITE_MISMATCH : SQLITE_OK;
}

static int read_optional_id(sqlite3_stmt *row, int column, climit_id *id, bool *present) {
  *present = sqlite3_column_type(row, column) != SQLITE_NULL;
  return *present ? climit_read_id(row, column, id) : SQLITE_OK;
}

int climit_read_text(sqlite3_stmt *row, int column, climit_text *text) {
  const unsigned char *bytes = sqlite3_column_text(row, column);
  if (!bytes) {
    *text = (climit_text){NULL, 0};
    return SQLITE_OK;
  }
  text->count = sqlite3_column_bytes(row, column);
  text->bytes = malloc((size_t)text->count + 1);
  if (!text->bytes) return SQLITE_NOMEM;
  memcpy(text->bytes, bytes, (size_t)text->count + 1);
  return SQLITE_OK;
}

static climit_kind read_kind(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  if (!text) return climit_other;
  if (!strcmp(text, "local")) return climit_local;
  if (!strcmp(text, "baidu")) return climit_baidu;
  if (!strcmp(text, "baiduNetdisk")) return climit_baidu_netdisk;
  if (!strcmp(text, "external")) return climit_external;
  return climit_other;
}

static climit_cover read_cover(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  if (!text) return climit_unknown_cover;
  if (!strcmp(text, "solid")) return climit_solid;
  if (!strcmp(text, "image")) return climit_image;
  if (!strcmp(text, "remote")) return climit_remote;
  return climit_unknown_cover;
}

static int read_track(sqlite3_stmt *row, climit_track *track) {
  int failed = climit_read_id(row, 0, &track->id) | climit_read_id(row, 1, &track->collection_id);
  track->position = sqlite3_column_int64(row, 2);
  failed |= climit_read_text(row, 3, &track->display_name) | climit_read_text(row, 4, &track->filename);
  track->location_kind = read_kind(row, 5);
  failed |= climit_read_text(row, 6, &track->location_payload);
  track->file_size = sqlite3_column_int64(row, 7);
  track->has_duration = sqlite3_column_type(row, 8) != SQLITE_NULL;
  track->duration = sqlite3_column_double(row, 8);
  track->track_number = sqlite3_column_int64(row, 9);
  failed |= climit_read_text(row, 10, &track->checksum) | climit_read_text(row, 11, &track->metadata);
  failed |= climit_read_text(row, 12, &track->original_id);
  return failed;
}

static int read_collection(sqlite3_stmt *row, climit_collection *collection) {
  memset(collection, 0, sizeof *collection);
  int failed = climit_read_id(row, 0, &collection->id) | climit_read_text(row, 1, &collection->title) | climit_read_text(row, 2, &collection->author);
  failed |= climit_read_text(row, 3, &collection->description);
  collection->cover_kind = read_cover(row, 4);
  failed |= climit_read_text(row, 5, &collection->cover_payload) | climit_read_text(row, 6, &collection->cover_dominant_color);
  collection->created_at = sqlite3_column_int64(row, 7);
  collection->updated_at = sqlite3_column_int64(row, 8);
  collection->source_kind = read_kind(row, 9);
  failed |= climit_read_text(row, 10, &collection->source_payload);
  failed |= read_optional_id(row, 11, &collection->last_played_track_id, &collection->has_last_played_track);
  return failed;
}

// Makes room for one more element; doubles from `first`.
void *climit_room(void *elements, size_t count, size_t *capacity, size_t first, size_t size) {
  if (count < *capacity) return elements;
  *capacity = *capacity ? *capacity * 2 : first;
  return realloc(elements, *capacity * size);
}

static uint32_t hash(const climit_id *id) {
  uint64_t half;
  memcpy(&half, id->bytes + 8, 8);
  return (uint32_t)(half * 0x9E3779B97F4A7C15ull >> 32);
}

static bool same(const climit_id *a, const climit_id *b) { return memcmp(a->bytes, b->bytes, 16) == 0; }

static int make_index(climit_index *index, const void *entries, size_t count, size_t size) {
  uint32_t slots = 8;
  while (slots < count * 2) slots *= 2;
  index->slots = calloc(slots, sizeof *index->slots);
  if (!index->slots) return SQLITE_NOMEM;
  index->mask = slots - 1;
  for (size_t i = 0; i < count; i++) {
    // Every entry type begins with the id that it is found by.
    uint32_t slot = hash((const climit_id *)((const char *)entries + i * size)) & index->mask;
    while (index->slots[slot]) slot = (slot + 1) & index->mask;
    index->slots[slot] = (uint32_t)i + 1;
  }
  return SQLITE_OK;
}

static size_t find(const climit_index *index, const void *entries, size_t size, const climit_id *id) {
  if (!index->slots) return SIZE_MAX;
  for (uint32_t slot = hash(id) & index->mask; index->slots[slot]; slot = (slot + 1) & index->mask) {
    size_t i = index->slots[slot] - 1;
    if (same((const climit_id *)((const char *)entries + i * size), id)) return i;
  }
  return SIZE_MAX;
}

const climit_state *climit_state_of(const climit_library *library, const climit_id *track) {
  size_t i = find(&library->states_by_track, library->states, sizeof *library->states, track);
  return i == SIZE_MAX ? NULL : &library->states[i];
}

static int finish(sqlite3_stmt *statement, int code, int failed) {
  sqlite3_reset(statement);
  return failed ? failed : code == SQLITE_DONE ? SQLITE_OK : code;
}

static int load_collections(sqlite3_stmt *statement, climit_library *library) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    library->collections =
        climit_room(library->collections, library->collection_count, &capacity, 128, sizeof *library->collections);
    if (!library->collections) return finish(statement, SQLITE_NOMEM, 0);
    failed = read_collection(statement, &library->collections[library->collection_count++]);
  }
  return finish(statement, code, failed);
}

// Rows arrive grouped by collection, so the collection is looked for only where the id changes.
static climit_collection *owner(climit_library *library, const climit_index *index, climit_collection *last, const climit_id *id) {
  if (last && same(&last->id, id)) return last;
  size_t i = find(index, library->collections, sizeof *library->collections, id);
  return i == SIZE_MAX ? NULL : &library->collections[i];
}

static int load_tags(sqlite3_stmt *statement, climit_library *library, const climit_index *index) {
  climit_collection *collection = NULL;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    climit_id id;
    failed = climit_read_id(statement, 0, &id);
    if (failed || !(collection = owner(library, index, collection, &id))) continue;
    collection->tags = climit_room(collection->tags, collection->tag_count, &collection->tag_capacity, 4, sizeof *collection->tags);
    if (!collection->tags) return finish(statement, SQLITE_NOMEM, 0);
    failed = climit_read_text(statement, 1, &collection->tags[collection->tag_count++]);
  }
  return finish(statement, code, failed);
}

static int load_tracks(sqlite3_stmt *statement, climit_library *library, const climit_index *index) {
  climit_collection *collection = NULL;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    climit_track track;
    failed = read_track(statement, &track);
    if (failed || !(collection = owner(library, index, collection, &track.collection_id))) continue;
    collection->tracks =
        climit_room(collection->tracks, collection->track_count, &collection->track_capacity, 256, sizeof *collection->tracks);
    if (!collection->tracks) return finish(statement, SQLITE_NOMEM, 0);
    collection->tracks[collection->track_count++] = track;
  }
  return finish(statement, code, failed);
}

static int load_states(sqlite3_stmt *statement, climit_library *library) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    library->states = climit_room(library->states, library->state_count, &capacity, 1024, sizeof *library->states);
    if (!library->states) return finish(statement, SQLITE_NOMEM, 0);
    climit_state *state = &library->states[library->state_count++];
    failed = climit_read_id(statement, 0, &state->track_id) | climit_read_id(statement, 1, &state->collection_id);
    state->position = sqlite3_column_double(statement, 2);
    state->has_duration = sqlite3_column_type(statement, 3) != SQLITE_NULL;
    state->duration = sqlite3_column_double(statement, 3);
    state->updated_at = sqlite3_column_int64(statement, 4);
  }
  failed |= make_index(&library->states_by_track, library->states, library->state_count, sizeof *library->states);
  return finish(statement, code, failed);
}

static int load_favorites(sqlite3_stmt *statement, climit_library *library) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    library->favorites = climit_room(library->favorites, library->favorite_count, &capacity, 1024, sizeof *library->favorites);
    if (!library->favorites) return finish(statement, SQLITE_NOMEM, 0);
    climit_favorite *favorite = &library->favorites[library->favorite_count++];
    failed = climit_read_id(statement, 0, &favorite->track_id) | climit_read_id(statement, 1, &favorite->collection_id);
    favorite->has_favorited_at = sqlite3_column_type(statement, 2) != SQLITE_NULL;
    favorite->favorited_at = sqlite3_column_int64(statement, 2);
  }
  failed |= make_index(&library->favorites_by_track, library->favorites, library->favorite_count, sizeof *library->favorites);
  return finish(statement, code, failed);
}

static int load(climit_store *store, const enum climit_statement which[5], climit_library *library) {
  sqlite3_stmt **statements = store->statements;
  climit_index index = {NULL, 0};
  int code = climit_run(store, CLIMIT_BEGIN);
  if (code != SQLITE_OK) return code;
  code = load_collections(statements[which[0]], library);
  if (!code) code = make_index(&index, library->collections, library->collection_count, sizeof *library->collections);
  if (!code) code = load_tags(statements[which[1]], library, &index);
  if (!code) code = load_tracks(statements[which[2]], library, &index);
  if (!code) code = load_states(statements[which[3]], library);
  if (!code) code = load_favorites(statements[which[4]], library);
  free(index.slots);
  int ended = climit_run(store, CLIMIT_COMMIT);
  return code ? code : ended;
}

int climit_load_library(climit_store *store, climit_library *library) {
  static const enum climit_statement which[5] = {CLIMIT_COLLECTIONS, CLIMIT_TAGS, CLIMIT_TRACKS, CLIMIT_STATES,
                                                 CLIMIT_FAVORITES};
  memset(library, 0, sizeof *library);
  return load(store, which, library);
}

int climit_load_collection(climit_store *store, const climit_id *id, climit_library *library) {
  static const enum climit_statement which[5] = {CLIMIT_COLLECTION, CLIMIT_TAGS_OF, CLIMIT_TRACKS_OF, CLIMIT_STATES_OF,
                                                 CLIMIT_FAVORITES_OF};
  char text[37];
  memset(library, 0, sizeof *library);
  climit_write_id(id, text);
  for (int i = 0; i < 5; i++) {
    int code = sqlite3_bind_text(store->statements[which[i]], 1, text, 36, SQLITE_STATIC);
    if (code != SQLITE_OK) return code;
  }
  return load(store, which, library);
}

int climit_read_track(climit_store *store, const climit_id *id, climit_track *track) {
  char text[37];
  sqlite3_stmt *statement = store->statements[CLIMIT_TRACK];
  memset(track, 0, sizeof *track);
  int code = climit_run(store, CLIMIT_BEGIN);
  if (code != SQLITE_OK) return code;
  climit_write_id(id, text);
  code = sqlite3_bind_text(statement, 1, text, 36, SQLITE_STATIC);
  if (code == SQLITE_OK) {
    int step = sqlite3_step(statement);
    code = step == SQLITE_ROW ? read_track(statement, track) : step == SQLITE_DONE ? SQLITE_NOTFOUND : step;
  }
  sqlite3_reset(statement);
  int ended = climit_run(store, CLIMIT_COMMIT);
  return code ? code : ended;
}

void climit_track_free(climit_track *track) {
  free(track->display_name.bytes);
  free(track->filename.bytes);
  free(track->location_payload.bytes);
  free(track->checksum.bytes);
  free(track->metadata.bytes);
  free(track->original_id.bytes);
}

static void free_collection(climit_collection *collection) {
  free(collection->title.bytes);
  free(collection->author.bytes);
  free(collection->description.bytes);
  free(collection->cover_payload.bytes);
  free(collection->cover_dominant_color.bytes);
  free(collection->source_payload.bytes);
  for (size_t i = 0; i < collection->tag_count; i++) free(collection->tags[i].bytes);
  for (size_t i = 0; i < collection->track_count; i++) climit_track_free(&collection->tracks[i]);
  free(collection->tags);
  free(collection->tracks);
}

void climit_library_free(climit_library *library) {
  for (size_t i = 0; i < library->collection_count; i++) free_collection(&library->collections[i]);
  free(library->collections);
  free(library->states);
  free(library->states_by_track.slots);
  free(library->favorites);
  free(library->favorites_by_track.slots);
  memset(library, 0, sizeof *library);
}
