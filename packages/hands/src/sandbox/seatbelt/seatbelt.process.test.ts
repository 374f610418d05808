import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SandboxBench } from '../../testing/sandbox-bench.ts';
import { findSeatbelt, seatbeltBy } from './find-seatbelt.ts';
import { openSeatbelt } from './open-seatbelt.ts';

/** A program in place of `sandbox-exec`, which no other system has. It keeps the profile, and confines nothing. */
function standIn(script: string): string {
  const program = join(mkdtempSync(join(tmpdir(), 'synapse-seatbelt-')), 'sandbox-exec');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return program;
}

it.runIf(process.platform !== 'darwin')('is not used on other systems', async () => {
  expect(await findSeatbelt()).toEqual({ problem: `Seatbelt is not used on ${process.platform}` });
});

it('is not used where the program is missing, where it fails, and where it confines nothing', async () => {
  expect(await findSeatbelt('/nonexistent/sandbox-exec')).toEqual({
    problem: '/nonexistent/sandbox-exec, which confines commands on macOS, is missing',
  });
  expect(await findSeatbelt(standIn('echo "no profile" >&2; exit 65'))).toEqual({ problem: 'a trial of Seatbelt failed (no profile)' });
  expect(await findSeatbelt(standIn('shift 2; exec "$@"'))).toEqual({ problem: 'a trial of Seatbelt was not confined' });
});

it.runIf(process.platform !== 'darwin')('starts a command with its profile, in private folders that end with it', async () => {
  const program = standIn('printf "%s" "$2" > "$(dirname "$0")/profile"; shift 2; exec "$@"');
  const bench = await SandboxBench.open('root', {
    files: { 'a.txt': 'content', '.env': 'SECRET=1' },
    policy: { deniesRead: (path) => path === '.env', mayDenyBelow: () => true },
    tier: { open: async (options) => await openSeatbelt(options, seatbeltBy(program)) },
  });
  const notes: string[] = [];
  const ran = await bench.inside('cat a.txt; pwd; touch "$HOME/x" "$TMPDIR/y"; echo "$HOME"; exit 3', { onNote: (note) => notes.push(note) });
  const [content, home = ''] = ran.stdout.split('\n');
  expect([content, ran.exitCode, ran.sandbox]).toEqual([`content${bench.workspace}`, 3, 'seatbelt']);
  expect(home).toContain(join(bench.state, 'runs'));
  expect([join(home, 'x'), join(home, '..', 'tmp', 'y')].filter((path) => existsSync(path))).toEqual([]);
  await bench[Symbol.asyncDispose]();
  expect(readdirSync(join(bench.state, 'runs'))).toEqual([]);
  expect(notes.join()).toContain('Confined by Seatbelt');
  const profile = readFileSync(join(program, '..', 'profile'), 'utf8');
  expect(profile).toContain(`(deny file-read* file-write* process-exec (subpath "${bench.at('.env')}"))`);
  expect(profile).toContain(`(allow file-read* file-write* process-exec (subpath "${bench.workspace}"))`);
  expect(profile).not.toContain('network*');
});
