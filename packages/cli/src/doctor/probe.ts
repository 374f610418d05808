import { execFile } from 'node:child_process';

/** Milliseconds for a program to tell its version. */
const TIMEOUT_MS = 5_000;

/** How a program that was tried ended. */
export interface Probe {
  readonly found: boolean;
  readonly succeeded: boolean;
  readonly output: string;
}

/** Tries a program. It runs in `/`, so that nothing of the current project has a say in what is found. */
export function probe(program: string, words: readonly string[]): Promise<Probe> {
  return new Promise((resolve) => {
    execFile(program, words, { cwd: '/', timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 }, (error, stdout, stderr) => {
      const found = !(error !== null && 'code' in error && error.code === 'ENOENT');
      resolve({ found, succeeded: error === null, output: `${stdout}${stderr}`.trim() });
    });
  });
}

/** The first version number in a text, as numbers. */
export function versionIn(text: string): number[] | undefined {
  return /\d+(?:\.\d+)+/u.exec(text)?.[0].split('.').map(Number);
}

/** Whether a version is not older than another. */
export function atLeast(version: readonly number[], wanted: readonly number[]): boolean {
  for (const [index, number] of wanted.entries()) {
    const difference = (version[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
