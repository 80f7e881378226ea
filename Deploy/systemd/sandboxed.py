#!/usr/bin/python3
# Runs a command under what stoa.service forbids, where no systemd runs: its system-call filter and address
# families by seccomp, its user, and no new privileges. Refused calls fail with EPERM, as under systemd.
#   Deploy/systemd/sandboxed.py USER COMMAND...
# Needs systemd-analyze and python3-seccomp (Debian), and root.

import ctypes
import errno
import os
import pathlib
import pwd
import socket
import subprocess
import sys

import seccomp

UNIT = pathlib.Path(__file__).with_name("stoa.service")
PR_SET_NO_NEW_PRIVS = 38


def settings(name):
    """The values of a setting of the unit, in order."""
    lines = UNIT.read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(name + "=")]


def calls(names):
    """The system calls of a list of names and groups (systemd.exec(5), SystemCallFilter=)."""
    found = set()
    for name in names:
        if not name.startswith("@"):
            found.add(name)
            continue
        listing = subprocess.run(
            ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
        ).stdout
        members = [line.strip() for line in listing.splitlines()[1:]]
        found |= calls(member for member in members if member and not member.startswith("#"))
    return found


def allowed_calls():
    """The filters of the unit applied one after the other: the first one decides that it is a list of what is allowed."""
    allowed = calls(["@default"])
    for value in settings("SystemCallFilter"):
        if value.startswith("~"):
            allowed -= calls(value[1:].split())
        else:
            allowed |= calls(value.split())
    return allowed


def main():
    user, command = pwd.getpwnam(sys.argv[1]), sys.argv[2:]
    refused = seccomp.ERRNO(errno.EPERM)
    filter = seccomp.SyscallFilter(refused)
    for call in sorted(allowed_calls() - {"socket"}):
        try:
            filter.add_rule(seccomp.ALLOW, call)
        except (RuntimeError, ValueError):
            pass  # A call of another architecture, or one that this libseccomp does not know.
    for family in settings("RestrictAddressFamilies")[0].split():
        filter.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
    os.initgroups(user.pw_name, user.pw_gid)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.umask(0o077)
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    filter.load()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
