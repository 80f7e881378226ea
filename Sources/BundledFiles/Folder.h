// How a folder's list of files is written down.
#ifndef STOA_FOLDER_H
#define STOA_FOLDER_H

// C23's #embed, which the compiler takes in C17 with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A file's place in a folder's list, and the list as a folder.
#define ENTRY(path, name) {path, name, sizeof name}
#define FOLDER(list) ((stoa_bundled_folder){list, sizeof list / sizeof list[0]})

#endif
