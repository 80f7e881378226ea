// Macros for lists of embedded files.
#ifndef STOA_FOLDER_H
#define STOA_FOLDER_H

// #embed is C23; in C17 the compiler accepts it with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

// An entry of a list of files, and the list as a folder.
#define ENTRY(path, name) {path, name, sizeof name}
#define FOLDER(list) ((stoa_bundled_folder){list, sizeof list / sizeof list[0]})

#endif
