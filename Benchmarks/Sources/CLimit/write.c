#include "store.h"

void climit_write_id(const climit_id *id, char text[37]) {
  static const char digits[] = "0123456789abcdef";
  int at = 0;
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    text[at++] = digits[id->bytes[i] >> 4];
    text[at++] = digits[id->bytes[i] & 15];
  }
  text[at] = 0;
}

static int bind_text(sqlite3_stmt *statement, int place, const climit_text *text) {
  return text->bytes ? sqlite3_bind_text(statement, place, text->bytes, text->count, SQLITE_STATIC)
                     : sqlite3_bind_null(statement, place);
}

static int bind_id(sqlite3_stmt *statement, int place, const char text[37]) {
  return sqlite3_bind_text(statement, place, text, 36, SQLITE_STATIC);
}

static int bind_double(sqlite3_stmt *statement, int place, double value, bool present) {
  return present ? sqlite3_bind_double(statement, place, value) : sqlite3_bind_null(statement, place);
}

static const char *kind_name(climit_kind kind) {
  switch (kind) {
    case climit_local: return "local";
    case climit_baidu: return "baidu";
    case climit_baidu_netdisk: return "baiduNetdisk";
    case climit_external: return "external";
    case climit_other: break;
  }
  return "other";
}

static const char *cover_name(climit_cover cover) {
  switch (cover) {
    case climit_solid: return "solid";
    case climit_image: return "image";
    case climit_remote: return "remote";
    case climit_unknown_cover: break;
  }
  return "other";
}

// Binds one row's values behind those of `row` others.
static int bind_track(sqlite3_stmt *statement, int row, const climit_track *track, const char id[37], const char collection[37],
                      int64_t position) {
  int at = row * 13;
  int code = bind_id(statement, at + 1, id) | bind_id(statement, at + 2, collection);
  code |= sqlite3_bind_int64(statement, at + 3, position);
  code |= bind_text(statement, at + 4, &track->display_name) | bind_text(statement, at + 5, &track->filename);
  code |= sqlite3_bind_text(statement, at + 6, kind_name(track->location_kind), -1, SQLITE_STATIC);
  code |= bind_text(statement, at + 7, &track->location_payload);
  code |= sqlite3_bind_int64(statement, at + 8, track->file_size);
  code |= bind_double(statement, at + 9, track->duration, track->has_duration);
  code |= sqlite3_bind_int64(statement, at + 10, track->track_number);
  code |= bind_text(statement, at + 11, &track->checksum) | bind_text(statement, at + 12, &track->metadata);
  return code | bind_text(statement, at + 13, &track->original_id);
}

// With `after`, the tracks follow that position of their collection; without, each has its own position.
static int insert_tracks(climit_store *store, const climit_track *tracks, size_t count, const int64_t *after) {
  char ids[CLIMIT_BATCH][37], collections[CLIMIT_BATCH][37];
  for (size_t i = 0; i < count;) {
    int rows = store->insert_tracks && count - i >= CLIMIT_BATCH ? CLIMIT_BATCH : 1;
    sqlite3_stmt *statement = rows > 1 ? store->insert_tracks : store->statements[CLIMIT_INSERT_TRACK];
    int code = SQLITE_OK;
    for (int row = 0; row < rows; row++, i++) {
      climit_write_id(&tracks[i].id, ids[row]);
      climit_write_id(&tracks[i].collection_id, collections[row]);
      int64_t position = after ? *after + 1 + (int64_t)i : tracks[i].position;
      code |= bind_track(statement, row, &tracks[i], ids[row], collections[row], position);
    }
    if (code) return code;
    code = sqlite3_step(statement);
    int reset = sqlite3_reset(statement);
    if (code != SQLITE_DONE) return reset ? reset : SQLITE_ERROR;
  }
  return SQLITE_OK;
}

static int insert_collection(climit_store *store, const climit_collection *collection) {
  sqlite3_stmt *statement = store->statements[CLIMIT_INSERT_COLLECTION];
  char id[37], last[37];
  climit_write_id(&collection->id, id);
  climit_write_id(&collection->last_played_track_id, last);
  int code = bind_id(statement, 1, id) | bind_text(statement, 2, &collection->title);
  code |= bind_text(statement, 3, &collection->author) | bind_text(statement, 4, &collection->description);
  code |= sqlite3_bind_text(statement, 5, cover_name(collection->cover_kind), -1, SQLITE_STATIC);
  code |= bind_text(statement, 6, &collection->cover_payload) | bind_text(statement, 7, &collection->cover_dominant_color);
  code |= sqlite3_bind_int64(statement, 8, collection->created_at) | sqlite3_bind_int64(statement, 9, collection->updated_at);
  code |= sqlite3_bind_text(statement, 10, kind_name(collection->source_kind), -1, SQLITE_STATIC);
  code |= bind_text(statement, 11, &collection->source_payload);
  code |= collection->has_last_played_track ? bind_id(statement, 12, last) : sqlite3_bind_null(statement, 12);
  if (!code) code = climit_run(store, CLIMIT_INSERT_COLLECTION);
  statement = store->statements[CLIMIT_INSERT_TAG];
  for (size_t i = 0; !code && i < collection->tag_count; i++) {
    code = bind_id(statement, 1, id) | bind_text(statement, 2, &collection->tags[i]);
    code |= sqlite3_bind_int64(statement, 3, (int64_t)i);
    if (!code) code = climit_run(store, CLIMIT_INSERT_TAG);
  }
  return code;
}

static int write_state(climit_store *store, enum climit_statement which, const climit_state *state, char track[37],
                       char collection[37]) {
  sqlite3_stmt *statement = store->statements[which];
  climit_write_id(&state->track_id, track);
  climit_write_id(&state->collection_id, collection);
  int code = bind_id(statement, 1, track) | bind_id(statement, 2, collection);
  code |= sqlite3_bind_double(statement, 3, state->position);
  code |= bind_double(statement, 4, state->duration, state->has_duration);
  code |= sqlite3_bind_int64(statement, 5, state->updated_at);
  return code ? code : climit_run(store, which);
}

static int insert_favorite(climit_store *store, const climit_favorite *favorite) {
  sqlite3_stmt *statement = store->statements[CLIMIT_INSERT_FAVORITE];
  char track[37], collection[37];
  climit_write_id(&favorite->track_id, track);
  climit_write_id(&favorite->collection_id, collection);
  int code = bind_id(statement, 1, track) | bind_id(statement, 2, collection);
  code |= favorite->has_favorited_at ? sqlite3_bind_int64(statement, 3, favorite->favorited_at) : sqlite3_bind_null(statement, 3);
  return code ? code : climit_run(store, CLIMIT_INSERT_FAVORITE);
}

static int end(climit_store *store, int code) {
  if (!code) return climit_run(store, CLIMIT_COMMIT);
  climit_run(store, CLIMIT_ROLLBACK);
  return code;
}

int climit_save_position(climit_store *store, const climit_state *state) {
  char track[37], collection[37];
  int code = climit_run(store, CLIMIT_BEGIN_IMMEDIATE);
  if (code != SQLITE_OK) return code;
  code = write_state(store, CLIMIT_SAVE_STATE, state, track, collection);
  if (!code) {
    sqlite3_stmt *statement = store->statements[CLIMIT_SET_LAST_PLAYED];
    code = bind_id(statement, 1, collection) | bind_id(statement, 2, track);
    code |= sqlite3_bind_int64(statement, 3, state->updated_at);
    if (!code) code = climit_run(store, CLIMIT_SET_LAST_PLAYED);
  }
  return end(store, code);
}

static int last_position(climit_store *store, const char collection[37], int64_t *position) {
  sqlite3_stmt *statement = store->statements[CLIMIT_LAST_POSITION];
  int code = bind_id(statement, 1, collection);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(statement);
  *position = sqlite3_column_type(statement, 0) == SQLITE_NULL ? -1 : sqlite3_column_int64(statement, 0);
  sqlite3_reset(statement);
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

int climit_add_tracks(climit_store *store, const climit_id *id, const climit_track *tracks, size_t count, int64_t now) {
  char collection[37];
  int64_t last = -1;
  climit_write_id(id, collection);
  int code = climit_run(store, CLIMIT_BEGIN_IMMEDIATE);
  if (code != SQLITE_OK) return code;
  code = last_position(store, collection, &last);
  if (!code) code = insert_tracks(store, tracks, count, &last);
  if (!code) {
    sqlite3_stmt *statement = store->statements[CLIMIT_TOUCH];
    code = bind_id(statement, 1, collection) | sqlite3_bind_int64(statement, 2, now);
    if (!code) code = climit_run(store, CLIMIT_TOUCH);
  }
  return end(store, code);
}

int climit_delete_collection(climit_store *store, const climit_id *id) {
  char text[37];
  climit_write_id(id, text);
  int code = climit_run(store, CLIMIT_BEGIN_IMMEDIATE);
  if (code != SQLITE_OK) return code;
  code = bind_id(store->statements[CLIMIT_DELETE_COLLECTION], 1, text);
  if (!code) code = climit_run(store, CLIMIT_DELETE_COLLECTION);
  return end(store, code);
}

int climit_insert(climit_store *store, const climit_collection *collections, size_t collection_count, const climit_track *tracks,
                  size_t track_count, const climit_state *states, size_t state_count, const climit_favorite *favorites,
                  size_t favorite_count) {
  char track[37], collection[37];
  int code = climit_run(store, CLIMIT_BEGIN_IMMEDIATE);
  if (code != SQLITE_OK) return code;
  for (size_t i = 0; !code && i < collection_count; i++) code = insert_collection(store, &collections[i]);
  if (!code) code = insert_tracks(store, tracks, track_count, NULL);
  for (size_t i = 0; !code && i < state_count; i++)
    code = write_state(store, CLIMIT_INSERT_STATE, &states[i], track, collection);
  for (size_t i = 0; !code && i < favorite_count; i++) code = insert_favorite(store, &favorites[i]);
  return end(store, code);
}
