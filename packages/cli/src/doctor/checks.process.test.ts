import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { atLeast, CHECKS, probe, versionIn } from './checks.ts';

const platform = Object.getOwnPropertyDescriptor(process, 'platform');
afterEach(() => {
  if (platform !== undefined) Object.defineProperty(process, 'platform', platform);
});

it.each([
  ['darwin', '/usr/bin/sandbox-exec, which confines commands on macOS, is missing'],
  ['win32', 'there is no sandbox for Windows yet'],
])('the doctor promises no sandbox on %s where there is none', async (name, told) => {
  Object.defineProperty(process, 'platform', { ...platform, value: name });
  const finding = await CHECKS.find((check) => check.name === 'sandbox')?.run();
  expect(finding).toMatchObject([{ ok: false, detail: `${told}: commands are not sandboxed, so each needs your yes, and runs with your rights` }]);
});

it.each([
  ['git version 2.39.5', [2, 39, 5]],
  ['bubblewrap 0.8.0', [0, 8, 0]],
  ['ripgrep 15.0.0 (rev x)\nfeatures:+pcre2 1.2', [15, 0, 0]],
  ['v24.21.0', [24, 21, 0]],
  ['nothing', undefined],
])('%j has version %j', (text, version) => {
  expect(versionIn(text)).toEqual(version);
});

it.each([
  [[0, 8, 0], [0, 12], false],
  [[0, 12], [0, 12], true],
  [[0, 12, 1], [0, 12], true],
  [[1, 0], [0, 12], true],
  [[0], [0, 12], false],
])('%j is at least %j: %s', (version, wanted, expected) => {
  expect(atLeast(version, wanted)).toBe(expected);
});

it('tells a program that is not there from one that fails', async () => {
  expect(await probe('synapse-has-no-such-program', [])).toMatchObject({ found: false, succeeded: false });
  expect(await probe('false', [])).toMatchObject({ found: true, succeeded: false });
  expect(await probe('echo', ['1.2'])).toEqual({ found: true, succeeded: true, output: '1.2' });
  // Nor one of the project that is worked on, wherever PATH leads.
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-doctor-')));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  writeFileSync(join(project, 'planted'), '#!/bin/sh\necho 1.2\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${project}:${process.env['PATH'] ?? ''}`);
  expect(await probe('planted', [], project)).toMatchObject({ found: false });
  expect(await probe('planted', [], '/other')).toMatchObject({ found: true, output: '1.2' });
});

it('finds programs also where the current folder was removed', async () => {
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT: process.cwd failed');
  });
  onTestFinished(() => cwd.mockRestore());
  expect(await probe('echo', ['1.2'])).toEqual({ found: true, succeeded: true, output: '1.2' });
});
