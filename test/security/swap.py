"""Swaps a folder and a link as fast as it can, until its standard input ends.

usage: swap.py exchange|rename FOLDER LINK
exchange uses renameat2(RENAME_EXCHANGE): both names always exist. rename uses three plain renames.
"""
import ctypes
import os
import select
import sys

AT_FDCWD = -100
RENAME_EXCHANGE = 2

mode, folder, link = sys.argv[1:4]
libc = ctypes.CDLL(None, use_errno=True)
one, other, spare = folder.encode(), link.encode(), (link + ".spare").encode()


def exchange():
    if libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0:
        sys.exit(f"renameat2: {os.strerror(ctypes.get_errno())}")


def rename():
    global made
    os.rename(one, spare)
    while True:
        try:
            os.rename(other, one)
            break
        except OSError:
            # A call that creates missing parents recreated the folder in the gap: move it away.
            made += 1
            os.rename(one, b"%s.made-%d" % (spare, made))
    os.rename(spare, other)


count = 0
# A separate counter: one gap can contain several of them.
made = 0
swap = exchange if mode == "exchange" else rename
print("ready", flush=True)
while True:
    for _ in range(50):
        swap()
        count += 1
    # The kernel lets no path be looked up while a name changes: without a pause, few calls come to an end on some machines.
    if select.select([sys.stdin], [], [], 0.0002)[0]:
        break
if not os.path.islink(other):
    swap()
print(count, flush=True)
