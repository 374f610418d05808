"""Runs a command on a terminal of its own and talks to it: terminal.py ROWS COLUMNS STEPS COMMAND...

STEPS is JSON: [[text to wait for, text to type], ...]; a third element types at once, on a screen that is never quiet. If
it is a text, the file of that name is made as well, for a program that waits for the step. Ctrl+C is typed once the command
handles signals. Prints what was on the terminal, then the exit code as the last line.
"""
import fcntl, json, os, pty, select, struct, sys, termios, time

rows, columns, steps, command = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4:]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execv(command[0], command)


def handles_signals():
    """The last handler that Synapse installs is that of SIGHUP, bit 0 of SigCgt. Node itself installs others before."""
    try:
        with open(f"/proc/{process}/status") as status:
            return any(line.startswith("SigCgt:") and int(line.split()[1], 16) & 1 for line in status)
    except OSError:
        return True  # Where the system has no such file.


seen, at, last = b"", 0, time.monotonic()
while True:
    # Types only once the screen is quiet, as users read before they answer.
    ready, _, _ = select.select([terminal], [], [], 0.4)
    if ready:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen, last = seen + part, time.monotonic()
        if steps and len(steps[0]) > 2 and seen.find(steps[0][0].encode(), at) != -1:
            at = len(seen)
            _, types, made = steps.pop(0)
            os.write(terminal, types.encode())
            if isinstance(made, str):
                open(made, "x").close()
    elif steps and seen.find(steps[0][0].encode(), at) != -1 and ("\x03" not in steps[0][1] or handles_signals()):
        at = len(seen)
        os.write(terminal, steps.pop(0)[1].encode())
    elif time.monotonic() - last > 20:
        os.kill(process, 9)
        break
_, status = os.waitpid(process, 0)
sys.stdout.buffer.write(seen)
print(f"\n{os.waitstatus_to_exitcode(status)}")
