import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Number of files in the generated repository. */
const FILES = 24_000;
const PER_FOLDER = 12;

const WORDS = ['function', 'return', 'const', 'import', 'export', 'value', 'index', 'result', 'error', 'options', 'callback', 'stream'];

/** Generates a fixed sequence of numbers (Park–Miller). */
function* numbers(): Generator<number, never> {
  for (let state = 48_271; ; state = (state * 48_271) % 2_147_483_647) yield state;
}

/** Creates a git repository of many small files, some of them TypeScript, with a few uncommitted changes. */
export function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-')));
  const random = numbers();
  const pick = (): string => WORDS[random.next().value % WORDS.length] ?? '';
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(root, `area-${Math.floor(index / 1200)}`, `module-${Math.floor(index / PER_FOLDER) % 100}`);
    if (index % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 30 }, () => `${pick()} ${pick()}${random.next().value % 1000} = ${pick()}(${pick()});`);
    if (index % 600 === 0) lines.push('const regeneratorRuntime = 1;');
    writeFileSync(join(folder, `file-${index}.${index % 16 === 0 ? 'ts' : 'js'}`), `${lines.join('\n')}\n`);
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules/\ndist/\n');
  const git = (...rest: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', ...rest], { cwd: root, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  writeFileSync(join(root, 'area-0', 'module-0', 'file-1.js'), 'changed\n');
  writeFileSync(join(root, 'new.txt'), 'new\n');
  return root;
}

/** Returns the repository to search: the one in the environment, else a generated one. */
export function repository(): string {
  const named = process.env['SYNAPSE_BENCH_REPOSITORY'];
  return named === undefined ? makeRepository() : realpathSync(named);
}
