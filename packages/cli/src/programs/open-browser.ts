import { spawn } from 'node:child_process';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { outerEnvironment } from './outer-environment.ts';

/** The program that opens a file or an address in the person's browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
/** Milliseconds for the browser to read the file that redirects to the address. */
const READ_MS = 60_000;

/**
 * Opens an address in the browser.
 *
 * @returns whether a program was started
 */
export function openBrowser(address: string): boolean {
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  // Every user of the machine can read the arguments of a program, so the token is passed in a private file.
  const folder = mkdtempSync(join(tmpdir(), 'synapse-open-'));
  const file = join(folder, 'console.html');
  // Part of the address may come from others, so nothing in it may end the attribute.
  const safe = new URL(address).href.replaceAll('&', '&amp;').replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll("'", '%27');
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${safe}">`, { mode: 0o600 });
  setTimeout(() => rmSync(folder, { recursive: true, force: true }), READ_MS).unref();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  try {
    const child = spawn(program, [...words, pathToFileURL(file).href], { env: outerEnvironment(), stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
    return child.pid !== undefined;
  } catch {
    // Not installed.
    return false;
  }
}
