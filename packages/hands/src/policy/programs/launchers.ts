import type { Program } from '../program.ts';
import { heldByShell } from '../shell-words.ts';

/** Commands that run another command later, or in a way that is not analyzed. */
export const programs: readonly Program[] = [
  {
    names:
      'fakeroot setarch linux i386 x86_64 prlimit numactl choom caffeinate xvfb-run dbus-run-session systemd-inhibit valgrind torsocks proxychains tini dumb-init eatmydata faketime rlwrap nsenter unshare bwrap firejail chronic ssh-agent start-stop-daemon hyperfine cross-env direnv concurrently nodemon expect ltrace entr',
    runs: 'commands',
  },
  { names: 'script', runs: 'commands', holds: (_, given) => heldByShell(given) },
  { names: 'mise', runsIn: { commands: ['exec'] } },
  { names: 'setpriv capsh', runs: 'power' },
  { names: 'at batch crontab systemd-run systemctl launchctl tmux screen disown', runs: 'later' },
];
