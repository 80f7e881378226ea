// Files embedded in the binary, so that `stoa` is one file to install: the web page, the migrations
// and the demo model. The compiler reads them at build time (C23 #embed).
#ifndef STOA_BUNDLED_FILES_H
#define STOA_BUNDLED_FILES_H

#include <stddef.h>

/// One file: its path relative to its folder ("index.html"), and its bytes, valid for the life of
/// the process.
typedef struct {
    const char *path;
    const unsigned char *bytes;
    size_t byte_count;
} stoa_bundled_file;

/// The files of one folder, in the order of their paths.
typedef struct {
    const stoa_bundled_file *files;
    size_t count;
} stoa_bundled_folder;

/// The files of Web/.
stoa_bundled_folder stoa_bundled_web(void);
/// The files of Migrations/.
stoa_bundled_folder stoa_bundled_migrations(void);
/// The demo model's folder.
stoa_bundled_folder stoa_bundled_demo_model(void);

#endif
