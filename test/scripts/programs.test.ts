import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAMS as BRANCH } from '../../packages/hands/src/branch/programs.ts';
import { PROGRAMS as JOBS } from '../../packages/hands/src/jobs/programs.ts';
import { PROGRAMS as LAUNCH } from '../../packages/hands/src/launch/programs.ts';
import { PROGRAMS as NETWORK } from '../../packages/hands/src/sandbox/network/programs.ts';

it.each([
  ['branch', BRANCH],
  ['jobs', JOBS],
  ['launch', LAUNCH],
  ['sandbox/network', NETWORK],
])('the programs of %s have all of their lines but comments, and none is empty', (folder, programs) => {
  expect(Object.keys(programs).length).toBeGreaterThan(0);
  for (const [name, text] of Object.entries<string>(programs)) {
    const lines = readFileSync(new URL(`../../packages/hands/src/${folder}/programs/${name}`, import.meta.url), 'utf8').split('\n');
    expect(text.split('\n')).toEqual(lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('#')));
    expect(text).not.toBe('');
  }
});
