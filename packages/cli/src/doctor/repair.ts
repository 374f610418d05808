import { execFile } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Repair } from './check.ts';

const execute = promisify(execFile);
/** Milliseconds for a program to load what was written. */
const LOAD_MS = 10_000;
/** The programs of a repair are those of the system. */
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** What a repair does, as a person would do it. */
export function repairText(repair: Repair): string {
  if ('folder' in repair) return `chmod ${repair.mode.toString(8)} ${repair.folder}`;
  return `write ${repair.file}:\n\n${repair.content.replaceAll(/^(?=.)/gmu, '  ')}\nand run: ${repair.then.join(' ')}`;
}

/** Does a repair. Returns why it did not work; undefined if it did. A file that is there already stays as it is. */
export async function repairIt(repair: Repair): Promise<string | undefined> {
  try {
    if ('folder' in repair) {
      await chmod(repair.folder, repair.mode);
      return undefined;
    }
    await writeFile(repair.file, repair.content, { flag: 'wx', mode: 0o644 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'for an unknown reason';
    if (code === 'EEXIST') return 'it is there already';
    return code === 'EACCES' || code === 'EPERM' ? 'this user may not; repeat it with sudo' : `it cannot be written (${code})`;
  }
  const [program, ...args] = repair.then;
  try {
    await execute(program, args, { timeout: LOAD_MS, cwd: '/', env: { PATH: SYSTEM_PATH } });
    return undefined;
  } catch {
    // What has no effect must not stay.
    await rm(repair.file, { force: true });
    return `${program} failed, and the file was removed again`;
  }
}
