#!/usr/bin/env python3
"""A disk for a PostgreSQL data directory that loses power.

    disk.py up FOLDER     moves FOLDER/postgres/data, of a stopped server, to an ext4 of its own
    disk.py cut FOLDER    stops all writing to it at once, kills all processes of PostgreSQL, and mounts
                          it again
    disk.py down FOLDER   unmounts it

What the file system has not written to its disk, an image behind a loop device, is lost at a cut: the
journal is not flushed (EXT4_IOC_SHUTDOWN with NOLOGFLUSH, as xfstests does it), and no dirty page is
written afterwards. Needs root.
"""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import time

# linux/fs/ext4/ext4.h: _IOR('X', 125, __u32), EXT4_GOING_FLAGS_NOLOGFLUSH
SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def up(folder, data):
    image, mount = f"{folder}/disk.img", f"{folder}/disk"
    run("truncate", "-s", "8G", image)
    run("mkfs.ext4", "-q", image)
    os.mkdir(mount)
    run("mount", "-o", "loop", image, mount)
    os.rmdir(f"{mount}/lost+found")
    run("cp", "-a", f"{data}/.", mount)
    run("umount", mount)
    run("mount", "-o", "loop", image, data)


def processes(data):
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/cwd") == data:
                found.append(int(name))
        except OSError:
            continue
    return found


def cut(folder, data):
    opened = os.open(data, os.O_RDONLY)
    fcntl.ioctl(opened, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
    os.close(opened)
    while remaining := processes(data):
        for process in remaining:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
    for attempt in range(50):
        if subprocess.run(("umount", data), stderr=subprocess.DEVNULL).returncode == 0:
            break
        time.sleep(0.1)
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3\n")
    run("mount", "-o", "loop", f"{folder}/disk.img", data)


def main():
    verb, folder = sys.argv[1:]
    data = f"{folder}/postgres/data"
    if verb == "up":
        up(folder, data)
    elif verb == "cut":
        cut(folder, data)
    elif verb == "down":
        run("umount", data)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
