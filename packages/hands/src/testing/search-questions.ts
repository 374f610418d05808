import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { chmod, link, mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import type { FilesRequest } from '../search/file-search.ts';
import type { TextRequest } from '../search/text-search.ts';
import type { Random } from './random.ts';
import type { TwoSearches } from './two-searches.ts';

const escaped = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$#&\-~]/gu, String.raw`\$&`);

/** Asks questions about the files of a folder. */
export class Questions {
  readonly #root: string;
  readonly #random: Random;
  readonly #files: [string, ...string[]] = ['nothing'];
  readonly #folders: [string, ...string[]] = ['.'];

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
    const left = [root];
    for (let folder = left.pop(); folder !== undefined; folder = left.pop())
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && entry.name !== '.git') {
          left.push(path);
          this.#folders.push(relative(root, path));
        } else if (entry.isFile()) this.#files.push(relative(root, path));
      }
  }

  get folder(): string {
    return this.#random.of(this.#folders);
  }

  text(): Partial<TextRequest> {
    const random = this.#random;
    const hasGlobs = random.isIn(30);
    return {
      ...this.#pattern(),
      case: random.of(['sensitive', 'sensitive', 'sensitive', 'smart', 'insensitive']),
      path: random.isIn(70) ? '.' : random.isIn(80) ? this.folder : random.of(this.#files),
      globs: hasGlobs ? this.#globs() : [],
      hidden: random.isIn(15),
      ignore: !random.isIn(8),
      context: random.of([0, 0, 0, 0, 2, 5]),
      perFile: random.of([undefined, undefined, undefined, 1, 3]),
      limit: random.of([2_000, 2_000, 100, 5]),
    };
  }

  files(): Partial<FilesRequest> {
    const random = this.#random;
    return {
      globs: this.#globs(),
      path: random.isIn(70) ? '.' : this.folder,
      hidden: random.isIn(25),
      ignore: !random.isIn(8),
      limit: random.of([1, 10, 100, 1_000]),
    };
  }

  #globs(): string[] {
    const random = this.#random;
    const name = random.of(this.#files);
    const last = name.slice(name.lastIndexOf('/') + 1);
    const part = last.slice(random.below(3), 3 + random.below(8)).replaceAll(/[\\[\]{}*?!\n/]/gu, '?');
    const one = (): string =>
      random.of([
        '*.ts',
        '**/*.ts',
        '*',
        '**/*',
        '*.{ts,js,json}',
        `*${part}*`,
        `${part}*`,
        `*.${part}`,
        'sub/**',
        '*/*.ts',
        './*',
        '**/test*/**',
        '*[a-m].*',
        '.*',
        '*größe*',
        '?.ts',
      ]);
    return [one(), ...(random.isIn(20) ? [one()] : []), ...(random.isIn(20) ? [`!${one()}`] : [])];
  }

  #word(): string {
    for (let tries = 0; tries < 50; tries += 1) {
      const path = join(this.#root, this.#random.of(this.#files));
      if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
      const bytes = readFileSync(path).subarray(0, 200_000);
      if (bytes.length < 6) continue;
      const at = this.#random.below(bytes.length);
      const text = bytes.subarray(at, at + 3 + this.#random.below(this.#random.isIn(30) ? 40 : 14)).toString();
      const word = (text.split(/[\r\n]/u)[0] ?? '').replaceAll(/[\0\uFFFD]/gu, '');
      if (word.length >= 2) return word;
    }
    return 'needle';
  }

  #pattern(): Pick<TextRequest, 'pattern' | 'literal'> {
    const random = this.#random;
    const [word, other] = [this.#word(), this.#word()];
    if (random.isIn(35)) return { pattern: random.isIn(30) ? word.toUpperCase() : word, literal: true };
    if (random.isIn(10)) return { pattern: `no${random.below(1e6)}where`, literal: random.isIn(50) };
    const [one, two] = [escaped(word), escaped(other)];
    const gap = random.of([
      '.*',
      String.raw`\s*`,
      '[a-z]+',
      '?',
      '+',
      '*',
      '{1,2}',
      '+?',
      '(x|y)?',
      String.raw`\b`,
      '$',
      '|',
      '',
      '[[:alpha:]|]',
      '++*',
      '{0}',
    ]);
    const pattern = random.of([
      one,
      `${one}${gap}${two.slice(0, 6)}`,
      `${one}|${two}`,
      String.raw`\b${one}\b`,
      `^${one}`,
      `(${one})${gap}${two}`,
      `(?i)${one}`,
      `(?:${one}|${two})${gap}`,
      word,
      `${one}$`,
    ]);
    return { pattern, literal: false };
  }
}

const outcome = async (work: Promise<object>): Promise<object> => {
  try {
    return await work;
  } catch (error) {
    if (isSynapseError(error)) return { error: error.message };
    throw error;
  }
};

/** How many questions were asked, how many no ripgrep answered, and how many were cut. */
export interface Count {
  asked: number;
  native: number;
  cut: number;
}

/** Asks a question with the index and without. Returns what differs; undefined if nothing does. */
export async function difference(questions: Questions, random: Random, { indexed, plain }: TwoSearches, count: Count): Promise<unknown> {
  count.asked += 1;
  const before = indexed.runs;
  if (random.isIn(25)) {
    const request = questions.files();
    const [mine, theirs] = [await outcome(indexed.files(request)), await outcome(plain.files(request))];
    if (indexed.runs === before) count.native += 1;
    return isEqual(mine, theirs) ? undefined : { request, mine, theirs };
  }
  const request = questions.text();
  const [mine, theirs] = [await outcome(indexed.text(request)), await outcome(plain.text(request))];
  if (indexed.runs === before) count.native += 1;
  if (!('matches' in theirs && 'stoppedBy' in theirs && theirs.stoppedBy === 'limit'))
    return isEqual(mine, theirs) ? undefined : { request, mine, theirs };
  // ripgrep searches on several processors, and cuts wherever it is: the same search finds other lines each time. Any of them are as good.
  count.cut += 1;
  const all = await plain.text({ ...request, limit: 1_000_000, context: 0 });
  const lines = new Set(all.matches.map(({ path, line, column }) => `${path}:${line}:${column}`));
  const shown = 'matches' in mine && Array.isArray(mine.matches) ? mine.matches.map(({ path, line, column }) => `${path}:${line}:${column}`) : [];
  const isCut = 'stoppedBy' in mine && mine.stoppedBy === 'limit' && shown.length === request.limit;
  return isCut && shown.every((line) => lines.has(line)) ? undefined : { request, mine, theirs };
}

const isEqual = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Changes something in a folder. */
export async function change(root: string, questions: Questions, random: Random): Promise<string> {
  const folder = join(root, random.of(['many', 'sub', 'sub/deep', '.hidden', 'dist', '.', questions.folder]));
  await mkdir(folder, { recursive: true });
  const name = random.of(['f1.ts', 'f2.ts', 'new.ts', 'x.ts', 'b.ts', 'c.log', '.dot.ts', 'größe.txt']);
  const path = join(folder, name);
  const pipe = join(folder, 'pipe.ts');
  const words = random.of(['a needle\n', 'other words\n', 'größe\n', `word${random.below(1_000)}here\n`, 'needle\0rest\n', '\uFEFFneedle\n']);
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    write: () => writeFile(path, words),
    append: () => writeFile(path, words, { flag: 'a' }),
    replace: async () => (await writeFile(`${path}.tmp`, words), await rename(`${path}.tmp`, path)),
    again: async () => (await rm(path, { force: true }), await writeFile(path, words)),
    unlink: () => unlink(path),
    move: () => rename(path, join(root, 'many', `moved${random.below(5)}.ts`)),
    symlink: async () => (await rm(path, { force: true }), await symlink(join(root, 'a.ts'), path)),
    link: () => link(join(root, 'a.ts'), path),
    ignore: () => writeFile(join(folder, '.gitignore'), random.of(['*.log\n', 'f1.ts\n', '', '!.dot.ts\n', '/deep/\n', '*.ts\n!x.ts\n'])),
    unignore: () => rm(join(folder, '.gitignore')),
    repository: () => mkdir(join(folder, '.git')),
    noRepository: () => rm(join(folder, '.git'), { recursive: true }),
    folderAway: () => rename(join(root, 'sub'), join(root, 'elsewhere')),
    folderBack: () => rename(join(root, 'elsewhere'), join(root, 'sub')),
    folderThereAndBack: async () => (await rename(folder, `${folder}-`), await rename(`${folder}-`, folder), await writeFile(path, words)),
    // Of a name that nothing writes to: that would wait for a reader.
    pipe: async () => (await rm(pipe, { force: true }), execFileSync('mkfifo', [pipe])),
    file: async () => (await rm(pipe, { force: true }), await writeFile(pipe, words)),
    mode: () => chmod(path, random.of([0o644, 0o600, 0])),
  };
  const [kind, work] = random.of(Object.entries(changes) as [[string, () => Promise<unknown>], ...Array<[string, () => Promise<unknown>]>]);
  // Such as that of a missing file.
  await work().catch(() => {});
  return `${kind} ${relative(root, path)}`;
}
