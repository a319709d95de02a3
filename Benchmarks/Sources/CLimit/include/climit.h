// The work of every workload in plain C on SQLite's own interface, as a careful C programmer would write it:
// statements prepared once, ids checked and packed into 16 bytes, strings from malloc. It is the 1.0 of every ratio.
//
// Every function that returns int returns SQLITE_OK or SQLite's result code; climit_message then tells more.
// A store belongs to one thread. What a load filled in is the caller's to free.
#ifndef CLIMIT_H
#define CLIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint8_t bytes[16];
} climit_id;

// UTF-8 with a closing zero. NULL bytes mean SQL NULL.
typedef struct {
  char *bytes;
  int32_t count;
} climit_text;

typedef enum { climit_local, climit_baidu, climit_baidu_netdisk, climit_external, climit_other } climit_kind;
typedef enum { climit_solid, climit_image, climit_remote, climit_unknown_cover } climit_cover;

typedef struct {
  climit_id id;
  climit_id collection_id;
  int64_t position;
  climit_text display_name;
  climit_text filename;
  climit_text location_payload;
  int64_t file_size;
  double duration;
  int64_t track_number;
  climit_text checksum;
  climit_text metadata;
  climit_text original_id;
  climit_kind location_kind;
  bool has_duration;
} climit_track;

typedef struct {
  climit_id id;
  climit_text title;
  climit_text author;
  climit_text description;
  climit_text cover_payload;
  climit_text cover_dominant_color;
  climit_text source_payload;
  int64_t created_at;  // milliseconds since 1970, as every date here
  int64_t updated_at;
  climit_id last_played_track_id;
  bool has_last_played_track;
  climit_cover cover_kind;
  climit_kind source_kind;
  climit_text *tags;
  size_t tag_count;
  size_t tag_capacity;
  climit_track *tracks;
  size_t track_count;
  size_t track_capacity;
} climit_collection;

typedef struct {
  climit_id track_id;
  climit_id collection_id;
  double position;
  double duration;
  int64_t updated_at;
  bool has_duration;
} climit_state;

typedef struct {
  climit_id track_id;
  climit_id collection_id;
  int64_t favorited_at;
  bool has_favorited_at;
} climit_favorite;

// Open addressing: a slot holds the index of an entry plus one, zero is free.
typedef struct {
  uint32_t *slots;
  uint32_t mask;
} climit_index;

typedef struct {
  climit_collection *collections;
  size_t collection_count;
  climit_state *states;
  size_t state_count;
  climit_index states_by_track;
  climit_favorite *favorites;
  size_t favorite_count;
  climit_index favorites_by_track;
} climit_library;

typedef struct climit_store climit_store;

// Opens an existing file: WAL, foreign keys on; synchronous FULL if durable, else NORMAL.
// Tracks are inserted many to a statement, or one by one if `row_by_row`.
int climit_open(const char *path, bool durable, bool row_by_row, climit_store **store);
void climit_close(climit_store *store);
const char *climit_message(climit_store *store);
const char *climit_sqlite_version(void);

// Runs a query and hands the last column of every row as text to `row`.
int climit_rows(climit_store *store, const char *sql, void *context, void (*row)(void *context, const char *text));
int climit_checkpoint(climit_store *store);

// The SQL of the read statements, for comparing query plans. NULL past the end.
const char *climit_query_name(size_t index);
const char *climit_query_sql(size_t index);

int climit_load_library(climit_store *store, climit_library *library);
int climit_load_collection(climit_store *store, const climit_id *id, climit_library *library);
int climit_read_track(climit_store *store, const climit_id *id, climit_track *track);
void climit_library_free(climit_library *library);
void climit_track_free(climit_track *track);
const climit_state *climit_state_of(const climit_library *library, const climit_id *track);

// One transaction each.
int climit_save_position(climit_store *store, const climit_state *state);
int climit_add_tracks(climit_store *store, const climit_id *collection, const climit_track *tracks, size_t count, int64_t now);
int climit_delete_collection(climit_store *store, const climit_id *id);

// Inserts collections with their tags, then the tracks, states and favourites in the order given. Tracks nested in collections are ignored.
int climit_insert(climit_store *store, const climit_collection *collections, size_t collection_count, const climit_track *tracks,
                  size_t track_count, const climit_state *states, size_t state_count, const climit_favorite *favorites,
                  size_t favorite_count);

#endif
