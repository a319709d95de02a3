// The work of the music workloads in plain C, by the rules of climit.h.
#ifndef CMUSIC_H
#define CMUSIC_H

#include "cconnection.h"
#include "climit.h"

typedef struct {
  climit_id id;
  climit_text title;
  climit_text artist;
  climit_text album;
  climit_text album_artist;
  climit_text genre;
  climit_text file_url;
  climit_text availability;
  climit_text content_hash;
  climit_text artwork_url;
  climit_text artwork_hash;
  climit_text persistent_id;
  climit_text metadata;
  double duration;
  int64_t year;
  int64_t track_number;
  int64_t disc_number;
  int64_t file_size;
  int64_t file_modified_at;
  int64_t play_count;
  int64_t last_played_at;
  int64_t rating;
  int64_t added_at;
  bool is_compilation;
  bool has_duration, has_year, has_track_number, has_disc_number, has_file_size, has_file_modified_at, has_last_played_at, has_rating;
} cmusic_track;

typedef struct {
  climit_id id;
  climit_text name;
  climit_id parent_id;
  bool has_parent;
  bool is_folder;
  climit_text persistent_id;
  climit_id *tracks;
  size_t track_count;
  size_t track_capacity;
} cmusic_playlist;

typedef struct {
  cmusic_track *tracks;
  size_t track_count;
  cmusic_playlist *playlists;
  size_t playlist_count;
} cmusic_library;

// Opens an existing file for reading: WAL as it is.
int cmusic_open(const char *path, cconnection **store);

// One read transaction each. What they fill in is the caller's to free.
int cmusic_load(cconnection *store, cmusic_library *library);
// Words in ASCII, separated by single spaces; the last may be the beginning of a longer one, as every one before it.
int cmusic_search(cconnection *store, const char *words, int limit, cmusic_library *found);
void cmusic_free(cmusic_library *library);

#endif
