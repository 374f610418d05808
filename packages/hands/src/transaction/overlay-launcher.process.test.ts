import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { compiledLauncher } from '../launch/compiled-launcher.ts';
import type { Argv } from '../launch/launch-steps.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { launchers } from './run-on-overlay.ts';

const works = (await findBubblewrap()) !== undefined;
const named = launchers(await compiledLauncher(undefined)).map((launcher) => ({ launcher, name: basename(launcher.wrap('', ['true'])[0]) }));

let base: string;
beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'synapse-launcher-'))));

// Each by itself: if the faster one fails, commands silently use the other.
describe.skipIf(!works).each(named)('the launcher $name', ({ launcher }) => {
  it('runs a command beside a copy, in its own working directory', () => {
    const [area, lower, cwd] = ['area', 'lower', 'cwd'].map((name) => join(base, name)) as [string, string, string];
    for (const folder of [lower, cwd, ...['upper', 'work', 'merged'].map((name) => join(area, name))]) mkdirSync(folder, { recursive: true });
    symlinkSync(lower, join(area, 'lower'));
    writeFileSync(join(lower, 'old'), 'old');
    const command: Argv = ['/bin/sh', '-c', 'pwd; cat "$1/old"; echo new > "$1/new"; env | grep -c PERL', 'sh', join(area, 'merged')];
    const [program, ...args] = launcher.wrap(area, command);
    const said = execFileSync('/bin/sh', ['-c', '"$@" || :', 'sh', program, ...args], { cwd, env: { ...launcher.environment }, encoding: 'utf8' });
    expect(existsSync(join(area, 'failed'))).toBe(false);
    expect(said).toBe(`${cwd}\nold0\n`);
    expect(readFileSync(join(area, 'upper', 'new'), 'utf8')).toBe('new\n');
    expect(existsSync(join(lower, 'new'))).toBe(false);
  });
});
