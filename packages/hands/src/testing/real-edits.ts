import { execFileSync } from 'node:child_process';

/** A real edit of a file. */
export interface RealEdit {
  /** The file before and after this edit alone. */
  readonly before: string;
  readonly after: string;
  /** The first replaced line, counted from 0, and the lines before and after the edit, with context. */
  readonly line: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Number of unchanged lines at the start and end. */
  readonly head: number;
  readonly tail: number;
  /** The lines of the hunk, with their marks. */
  readonly marked: readonly string[];
  /** The path of the file, which says what language it is in. */
  readonly path: string;
}

const MAX_FILE_CHARACTERS = 60_000;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/u;

function git(folder: string, rest: readonly string[], input?: string): string {
  return execFileSync('git', rest, { cwd: folder, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024, input, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Whether a folder has a usable history: not a tarball or a shallow clone. */
export function hasHistory(folder: string, from = 'HEAD'): boolean {
  try {
    return Number(git(folder, ['rev-list', '--count', '--no-merges', from])) > 50;
  } catch {
    return false;
  }
}

/** Reads blobs of a repository by their ids. */
function readBlobs(folder: string, ids: readonly string[]): ReadonlyMap<string, string> {
  const output = Buffer.from(git(folder, ['cat-file', '--batch'], `${ids.join('\n')}\n`));
  const blobs = new Map<string, string>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf('\n', at);
    const [id = '', , size = '0'] = output.toString('utf8', at, end).split(' ');
    blobs.set(id, output.toString('utf8', end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return blobs;
}

interface Hunk {
  readonly blob: string;
  readonly path: string;
  readonly line: number;
  readonly lines: readonly string[];
}

/** Commits whose changes are read at once. More of a repository with generated files are longer than a string can be. */
const PAGE = 50;
const PAGES = 8;

/** Returns the first hunk of each file of some commits. */
function readHunks(folder: string, from: string, skip: number): Hunk[] {
  const log = git(folder, [
    'log',
    '-p',
    '-U3',
    '--no-merges',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--full-index',
    '--diff-filter=M',
    `--skip=${skip}`,
    '-n',
    `${PAGE}`,
    from,
    '--',
    '.',
    ':(exclude)*.min.*',
  ]);
  const hunks: Hunk[] = [];
  for (const file of log.split(/^diff --git /mu).slice(1)) {
    const [, blob] = /^index ([0-9a-f]{40})\.\./mu.exec(file) ?? [];
    const [body] = file.slice(Math.max(0, file.indexOf('\n@@ ') + 1)).split(/\n(?=@@ |commit )/u);
    const [, start] = HUNK.exec(body ?? '') ?? [];
    const [, path = 'x'] = /^\+\+\+ b\/(.*)$/mu.exec(file) ?? [];
    if (blob === undefined || start === undefined || body === undefined || body.includes('\n\\')) continue;
    const lines = body.replace(/\n+$/u, '').split('\n').slice(1);
    hunks.push({ blob, path, line: Number(start) - 1, lines });
  }
  return hunks;
}

/** Returns edits of the last commits of a repository up to one of them, at most one per file and commit, newest first. */
export function realEdits(folder: string, most: number, context: (index: number) => number, from = 'HEAD'): RealEdit[] {
  const edits: RealEdit[] = [];
  let seen = 0;
  for (let page = 0; page < PAGES && edits.length < most; page += 1) {
    const hunks = readHunks(folder, from, page * PAGE);
    const blobs = readBlobs(folder, [...new Set(hunks.map(({ blob }) => blob))]);
    for (const { blob, path, line, lines } of hunks) {
      const before = blobs.get(blob) ?? '';
      const index = seen;
      seen += 1;
      if (before.length > MAX_FILE_CHARACTERS || !before.endsWith('\n') || before.includes('\r') || before.includes('\0')) continue;
      const edit = trimContext({ before, path }, line, lines, context(index));
      if (edit !== undefined) edits.push(edit);
      if (edits.length === most) break;
    }
  }
  return edits;
}

/** Returns the edit with limited context; undefined if its old text is not unique, or the edit is empty. */
function trimContext(
  { before, path }: Pick<RealEdit, 'before' | 'path'>,
  line: number,
  lines: readonly string[],
  context: number,
): RealEdit | undefined {
  const first = lines.findIndex((one) => !one.startsWith(' '));
  const last = lines.findLastIndex((one) => !one.startsWith(' '));
  const head = Math.min(first, context);
  const tail = Math.min(lines.length - 1 - last, context);
  const used = lines.slice(first - head, last + 1 + tail);
  const old = used.filter((one) => !one.startsWith('+')).map((one) => one.slice(1));
  const fresh = used.filter((one) => !one.startsWith('-')).map((one) => one.slice(1));
  const from = line + first - head;
  const all = before.slice(0, -1).split('\n');
  if (first === -1 || old.join('').trim() === '' || fresh.length === 0 || before.split(old.join('\n')).length !== 2) return undefined;
  if (all.slice(from, from + old.length).join('\n') !== old.join('\n')) return undefined;
  const after = `${[...all.slice(0, from), ...fresh, ...all.slice(from + old.length)].join('\n')}\n`;
  return { before, after, line: from, old, new: fresh, head, tail, marked: used, path };
}
