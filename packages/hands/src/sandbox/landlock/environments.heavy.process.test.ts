import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { compiledLauncher } from '../../launch/compiled-launcher.ts';
import { CHECKOUT_USERS } from '../../testing/sandbox-bench.ts';
import { otherUsersCache, SCRIPT_OPTIONS, sourceUrl } from '../../testing/run-script.ts';
import { filterProgram } from '../seccomp/filter-program.ts';
import { filteredArchitecture } from '../seccomp/call-filter.ts';
import type { JudgedCall } from '../seccomp/system-calls.ts';
import { findLandlock } from './find-landlock.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

// Each environment is one in which commands must be confined, or refused with the reason: never silently open.

const isRoot = process.getuid?.() === 0;
const works = !('problem' in (await findLandlock())) && (await findBubblewrap())?.usable === true;
const OTHER = 65_534;
/** Shared by all starts: without, each takes twice the time. That of the checkout is also there where /tmp is replaced. */
const COMPILED = process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'synapse-compiled-in-environments');

let base: string;
beforeEach(() => {
  // Not in /tmp, which some environments replace.
  base = realpathSync(mkdtempSync('/var/tmp/synapse-environment-'));
  for (const name of ['workspace', 'state', 'outside', 'tmp']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'workspace/a.txt'), 'A\n');
  writeFileSync(join(base, 'outside/secret'), 'outside-secret\n');
  chmodSync(base, 0o755);
});

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const ROOT = realpathSync(fileURLToPath(new URL('../../../../..', import.meta.url)));
/** Replaces /tmp in a shell. A checkout in it stays where it is. */
function newTmp(place: string, options: string): string {
  const fresh = `mount -t tmpfs -o ${options} tmpfs /tmp`;
  if (!ROOT.startsWith('/tmp/')) return fresh;
  const [kept, root] = [quoted(join(place, 'checkout')), quoted(ROOT)];
  return `mkdir ${kept}; mount --bind ${root} ${kept}; ${fresh}; mkdir -p ${root}; mount --bind ${kept} ${root}`;
}
/** Runs a command line after a preparation by a shell, in mounts of its own. */
const inMounts =
  (prepare: (base: string) => string) =>
  (argv: readonly string[]): string[] => ['unshare', '--mount', 'sh', '-ec', `${prepare(base)}\nexec "$@"`, 'sh', ...argv];

/** Runs a command line under a filter that refuses some calls. */
function refusing(calls: readonly JudgedCall[]): (argv: readonly string[]) => string[] {
  return (argv) => {
    const file = join(base, 'filter');
    writeFileSync(file, filterProgram(filteredArchitecture() ?? 'x64', calls));
    const prctl = process.arch === 'x64' ? 157 : 167;
    const program = `open F, "<", shift; local $/; my $c = <F>; close F; my $p = pack('Sx![P]P', length($c) / 8, $c); syscall(${prctl}, 38, 1, 0, 0, 0); syscall(${prctl}, 22, 2, $p, 0, 0) == 0 or die $!; exec @ARGV`;
    return ['perl', '-e', program, file, ...argv];
  };
}
const never = (name: string, x64: number, arm64: number, refusal: NonNullable<JudgedCall['refusal']>): JudgedCall => ({
  name,
  x64,
  arm64,
  argument: 0,
  by: 'others',
  values: [],
  refusal,
});
/** What the default filter of Docker refuses without capabilities (moby/profiles, seccomp). */
const AS_DOCKER: readonly JudgedCall[] = [
  never('unshare', 272, 97, 'denied'),
  never('mount', 165, 40, 'denied'),
  never('setns', 308, 268, 'denied'),
  { name: 'clone', x64: 56, arm64: 220, argument: 0, by: 'bits', values: [0x7e02_0000] },
];
const withoutLandlock = (refusal: 'denied' | 'missing' | 'unsupported') => [never('landlock_create_ruleset', 444, 444, refusal)];

const NO_BWRAP = 'mount --bind /dev/null /usr/bin/bwrap';
/** Replaces bubblewrap by a script. */
const asBwrap = (text: string) =>
  inMounts((place) => {
    writeFileSync(join(place, 'bwrap'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return `mount --bind ${quoted(join(place, 'bwrap'))} /usr/bin/bwrap`;
  });
const both =
  (...wraps: Array<(argv: readonly string[]) => readonly string[]>) =>
  (argv: readonly string[]): readonly string[] =>
    wraps.reduceRight<readonly string[]>((inner, wrap) => wrap(inner), argv);

interface Environment {
  readonly wrap: (argv: readonly string[]) => readonly string[];
  readonly asOther?: boolean;
  /** Whether it ends as the other user. */
  readonly becomesOther?: boolean;
  /** The tier under `confined`, or why commands are refused. */
  readonly expected: 'bubblewrap' | 'landlock' | RegExp;
}

const isCompiled = (await compiledLauncher(undefined)) !== undefined;
const withoutPerl = inMounts(() => `${NO_BWRAP}; mount --bind /dev/null /usr/bin/perl`);

const ENVIRONMENTS: Readonly<Record<string, Environment>> = {
  'a usual one': { wrap: (argv) => [...argv], expected: 'bubblewrap' },
  'an ordinary user': { wrap: (argv) => [...argv], asOther: true, expected: 'bubblewrap' },
  'no user namespaces': {
    wrap: (argv) => ['unshare', '--user', '--map-root-user', 'sh', '-ec', 'echo 0 > /proc/sys/user/max_user_namespaces\nexec "$@"', 'sh', ...argv],
    expected: 'landlock',
  },
  'no user namespaces, for an ordinary user': {
    wrap: (argv) => ['unshare', '--user', '--map-root-user', 'sh', '-ec', 'echo 0 > /proc/sys/user/max_user_namespaces\nexec "$@"', 'sh', ...argv],
    asOther: true,
    expected: 'landlock',
  },
  'no bubblewrap': { wrap: inMounts(() => NO_BWRAP), expected: 'landlock' },
  'no bubblewrap, for an ordinary user': {
    wrap: both(
      inMounts(() => NO_BWRAP),
      (argv) => ['setpriv', `--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups', '--', ...argv],
    ),
    becomesOther: true,
    expected: 'landlock',
  },
  'a bubblewrap without rights': {
    wrap: asBwrap('[ "$1" = --version ] && echo "bubblewrap 0.11.0" && exit; echo "bwrap: No permissions to create new namespace" >&2; exit 1'),
    expected: 'landlock',
  },
  'a bubblewrap that is too old': { wrap: asBwrap('echo "bubblewrap 0.4.1"'), expected: 'landlock' },
  "a filter of system calls like Docker's": { wrap: refusing(AS_DOCKER), expected: 'landlock' },
  'a folder for temporary files without programs': { wrap: inMounts((place) => `${NO_BWRAP}; ${newTmp(place, 'noexec')}`), expected: 'landlock' },
  'a read-only root': {
    wrap: inMounts((place) => `${NO_BWRAP}; mount --bind ${quoted(place)} ${quoted(place)}; ${newTmp(place, 'rw')}; mount -o remount,bind,ro /`),
    expected: 'landlock',
  },
  'a root without any place for temporary files': {
    wrap: inMounts(
      (place) =>
        `${NO_BWRAP}; mount --bind ${quoted(place)} ${quoted(place)}; ${newTmp(place, 'rw')}; mount -o remount,ro /tmp; mount -o remount,bind,ro /`,
    ),
    expected: /No temporary file can be made/u,
  },
  'no table of processes': { wrap: inMounts(() => `${NO_BWRAP}; mount -t tmpfs tmpfs /proc`), expected: /./u },
  'Landlock refused by a filter, and no bubblewrap': {
    wrap: both(
      inMounts(() => NO_BWRAP),
      refusing(withoutLandlock('denied')),
    ),
    expected: /refuses the calls of Landlock/u,
  },
  'a kernel without Landlock, and no bubblewrap': {
    wrap: both(
      inMounts(() => NO_BWRAP),
      refusing(withoutLandlock('missing')),
    ),
    expected: /the kernel has no Landlock/u,
  },
  'Landlock turned off, and no bubblewrap': {
    wrap: both(
      inMounts(() => NO_BWRAP),
      refusing(withoutLandlock('unsupported')),
    ),
    expected: /turned off in the kernel/u,
  },
  'a filter that cannot be set, and no bubblewrap': {
    wrap: both(
      inMounts(() => NO_BWRAP),
      refusing([{ name: 'prctl', x64: 157, arm64: 167, argument: 0, by: 'value', values: [22] }]),
    ),
    expected: /a trial failed \(filter/u,
  },
  'no perl, and no bubblewrap': { wrap: withoutPerl, expected: isCompiled ? 'landlock' : /perl.* is not installed/u },
  'no perl, no compiled launcher, and no bubblewrap': {
    wrap: both(withoutPerl, (argv) => ['env', 'SYNAPSE_LAUNCHER=scripts', ...argv]),
    expected: /perl.* is not installed/u,
  },
};

/** What a command printed, and how it ran, or why it did not. */
interface Answer {
  readonly stdout?: string;
  readonly tier?: string;
  readonly code?: string;
  readonly message?: string;
}

async function runIn({ wrap, asOther = false, becomesOther = false }: Environment, sandbox: string): Promise<Answer> {
  const script = `
    import { createHands } from ${sourceUrl('index.ts')};
    try {
      await using hands = await createHands({ workspace: ${JSON.stringify(join(base, 'workspace'))}, stateFolder: ${JSON.stringify(join(base, 'state'))},
        allow: ['exec', 'write'], sandbox: ${JSON.stringify(sandbox)} });
      const result = await hands.call('run_command', { command: 'sh ./attack.sh' });
      console.log(JSON.stringify(result.ok ? { stdout: result.data.stdout, tier: result.meta.sandbox } : { code: result.error.code, message: result.error.message }));
    } catch (error) { console.log(JSON.stringify({ code: error.code ?? 'thrown', message: String(error.message) })); }
    process.exit(0);`;
  writeFileSync(join(base, 'workspace/attack.sh'), `cat a.txt ${base}/outside/secret; echo x > ${base}/outside/written; echo ran`);
  const other = asOther && isRoot ? { uid: OTHER, gid: OTHER } : {};
  if (isRoot && (asOther || becomesOther)) execFileSync('chown', ['-R', `${OTHER}:${OTHER}`, base]);
  const env = { PATH: process.env['PATH'] ?? '', HOME: base, NODE_COMPILE_CACHE: asOther || becomesOther ? otherUsersCache() : COMPILED };
  const [program = '', ...args] = wrap([process.execPath, ...SCRIPT_OPTIONS, script]);
  const child = spawn(program, args, { ...other, env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await once(child, 'close');
  const line = output.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? (JSON.parse(line) as Answer) : { code: 'none', message: output + errors };
}

describe.runIf(isRoot && works).each(Object.entries(ENVIRONMENTS).map(([name, environment]) => ({ name, environment })))(
  'with $name',
  ({ environment }) => {
    const { expected, asOther = false } = environment;
    const canRun = !asOther || CHECKOUT_USERS.includes('user');

    it.runIf(canRun)('a command is confined, or refused with the reason', async () => {
      const answer = await runIn(environment, 'confined');
      expect(answer.stdout ?? '').not.toContain('outside-secret');
      expect(existsSync(join(base, 'outside/written'))).toBe(false);
      if (expected instanceof RegExp) {
        expect(answer.stdout, JSON.stringify(answer)).toBeUndefined();
        expect(answer.message).toMatch(expected);
      } else expect(answer).toEqual({ stdout: 'A\nran\n', tier: expected });
    });

    it.runIf(canRun && expected instanceof RegExp)('is not open if the best available is to confine it', async () => {
      const answer = await runIn(environment, 'auto');
      expect(answer.stdout ?? '').not.toContain('outside-secret');
      expect(existsSync(join(base, 'outside/written'))).toBe(false);
      expect(answer.stdout, JSON.stringify(answer)).toBeUndefined();
    });

    it.runIf(canRun && !(expected instanceof RegExp))('reaches outside without a sandbox: the control', async () => {
      const answer = await runIn(environment, 'none');
      expect(answer).toEqual({ stdout: 'A\noutside-secret\nran\n', tier: 'none' });
      expect(existsSync(join(base, 'outside/written'))).toBe(true);
    });
  },
);
