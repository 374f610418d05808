import { heldByShell } from '../shell-words.ts';
import type { Program } from '../program.ts';

const FROM_INPUT = 'more arguments come from its input';
const MORE_POWER = 'the command runs with more power than Synapse has';
/** Programs that run the command after them. */
export const programs: readonly Program[] = [
  {
    names: 'env',
    runs: 'commands',
    wrapper: { values: 'u', flags: 'i0v', longValues: ['unset'], longFlags: ['ignore-environment', 'null', 'debug'], assignments: true },
  },
  { names: 'command', onlyReads: ['-v *', '-V *'], runs: 'commands', wrapper: { flags: 'p', describes: 'vV' } },
  { names: 'builtin nohup busybox toybox', runs: 'commands', wrapper: {} },
  { names: 'exec', runs: 'commands', wrapper: { values: 'a', flags: 'cl' } },
  {
    names: 'time',
    runs: 'commands',
    wrapper: { values: 'f', flags: 'pvaq', longValues: ['format'], longFlags: ['portability', 'verbose', 'quiet'] },
  },
  {
    names: 'timeout',
    runs: 'commands',
    wrapper: { values: 'ks', flags: 'v', longValues: ['kill-after', 'signal'], longFlags: ['preserve-status', 'foreground', 'verbose'], operands: 1 },
  },
  { names: 'nice', runs: 'commands', wrapper: { values: 'n', flags: '0123456789', longValues: ['adjustment'] } },
  { names: 'ionice', runs: 'commands', wrapper: { values: 'cn', flags: 't', longValues: ['class', 'classdata'], longFlags: ['ignore'] } },
  { names: 'stdbuf', runs: 'commands', wrapper: { values: 'ioe', longValues: ['input', 'output', 'error'] } },
  { names: 'setsid', runs: 'commands', wrapper: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] } },
  { names: 'unbuffer', runs: 'commands', wrapper: { flags: 'p' } },
  { names: 'taskset', runs: 'commands', wrapper: { flags: 'ac', operands: 1 } },
  { names: 'chrt', runs: 'commands', wrapper: { flags: 'bfiomrv', operands: 1 } },
  {
    names: 'sudo',
    runs: 'power',
    wrapper: {
      values: 'ugpCTrtDRhU',
      flags: 'AbEeHiKklnPSsv',
      longValues: ['user', 'group', 'prompt', 'chdir', 'host'],
      longFlags: ['preserve-env', 'login', 'non-interactive', 'stdin', 'shell', 'background'],
      assignments: true,
      reason: MORE_POWER,
    },
  },
  { names: 'doas', runs: 'power', wrapper: { values: 'uC', flags: 'Lns', reason: MORE_POWER } },
  { names: 'pkexec', runs: 'power', wrapper: { longValues: ['user'], reason: MORE_POWER } },
  { names: 'gosu', runs: 'power', wrapper: { operands: 1, reason: MORE_POWER } },
  {
    names: 'xargs',
    runs: 'commands',
    wrapper: {
      values: 'aEIdLlnPs',
      flags: '0oprtx',
      longValues: ['arg-file', 'delimiter', 'max-args', 'max-lines', 'max-procs', 'max-chars', 'replace', 'eof'],
      longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'open-tty', 'exit'],
      reason: FROM_INPUT,
    },
  },
  {
    names: 'parallel',
    runs: 'commands',
    wrapper: { values: 'jNnaIS', flags: '0kmXtuv', longValues: ['jobs'], reason: FROM_INPUT },
  },
  { names: 'watch', runs: 'commands', wrapper: { values: 'n', flags: 'bcdegtx', longValues: ['interval'], reason: 'the command runs out of sight' } },
  { names: 'strace', runs: 'commands', wrapper: { values: 'eops', flags: 'cfqtTvy', reason: 'strace writes and can change what the command does' } },
  {
    names: 'flock',
    runs: 'commands',
    wrapper: { values: 'wEc', flags: 'Fnosux', operands: 1, reason: 'flock opens or creates its lock file' },
    holds: (_, given) => heldByShell(given),
  },
  { names: 'chroot', runs: 'commands', wrapper: { longValues: ['userspec', 'groups'], operands: 1, reason: 'paths mean something else in it' } },
];
