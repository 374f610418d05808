// `npm run soak -- rename FOLDER… [--symbols N] [--seed S]`: renames symbols of repositories by `code`, and asks their compilers whether anything
// is left of the old name. Each folder is cloned first. A language without its server or its compiler is left out, with the reason.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import { Random } from './random.ts';

/** How to check a repository, by the name of its language server. */
const CHECKS: Readonly<Record<string, (root: string, files: readonly string[]) => ReadonlyArray<readonly [string, ...string[]]>>> = {
  TypeScript: (root) => {
    const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
    const projects = readdirSync(root).filter((name) => /^tsconfig.*\.json$/u.test(name));
    return projects.map((project) => [process.execPath, tsc, '-p', project, '--noEmit', '--pretty', 'false']);
  },
  Python: () => [['pyright']],
  Go: () => [['go', 'vet', './...']],
  Rust: () => [['cargo', 'check', '--offline', '--all-targets', '--message-format', 'short']],
  'C and C++': (_, files) => files.filter((path) => /\.(?:c|cc|cpp|cxx)$/u.test(path)).map((path) => ['cc', '-fsyntax-only', '-w', path]),
};

const Places = z.object({ places: z.array(z.object({ path: z.string(), symbol: z.string().optional() })) });

/** What a compiler says, without places: a rename moves columns. */
function check(root: string, commands: ReturnType<(typeof CHECKS)[string]>, to?: { readonly name: string; readonly now: string }): string {
  const said = commands.map(([program, ...words]) => {
    const { stdout, stderr, error } = spawnSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (error !== undefined) throw error;
    return `${stdout}${stderr}`;
  });
  const text = said
    .join('')
    .replaceAll(/:\d+:\d+/gu, '')
    .replaceAll(/\(\d+,\d+\)/gu, '')
    .replaceAll(/\b\d+(?:\.\d+)?m?s(?:ec)?\b/gu, '');
  const lines = (to === undefined ? text : text.replaceAll(to.now, to.name)).split('\n').filter((line) => /error|warning|vet:|\.go:/iu.test(line));
  return lines.toSorted().join('\n');
}

/** Symbols that one file declares, and no other. */
async function symbolsOf(
  hands: Hands,
  files: readonly string[],
): Promise<Array<{ readonly path: string; readonly symbol: string; readonly name: string }>> {
  const found: Array<{ path: string; symbol: string; name: string }> = [];
  for (const path of files) {
    const outlined = await hands.call('code', { action: 'outline', path });
    if (!outlined.ok) continue;
    for (const place of Places.parse(outlined.data).places) {
      const name = place.symbol?.split('.').at(-1) ?? '';
      if (place.symbol !== undefined && /^[A-Za-z]\w{3,}$/u.test(name)) found.push({ path, symbol: place.symbol, name });
    }
  }
  const times = Map.groupBy(found, ({ name }) => name);
  return found.filter(({ name }) => times.get(name)?.length === 1);
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { symbols: { type: 'string' }, seed: { type: 'string' } } });
const [most, seed] = [Number(values.symbols ?? 20), Number(values.seed ?? 1)];
for (const folder of positionals) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-rename-')));
  const root = join(scratch, basename(folder));
  execFileSync('git', ['clone', '-q', folder, root]);
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const rows = Map.groupBy(files, (path) => serverFor(path)?.row);
  rows.delete(undefined);
  const [row, own = []] = [...rows].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  const program = row === undefined ? undefined : await findProgram(row, { root: '/nonexistent', trusted: false });
  const commands = row === undefined ? [] : (CHECKS[row.name]?.(root, own) ?? []);
  const [compiler] = commands[0] ?? [];
  const works = (name: string): boolean => spawnSync(name, ['--version']).status !== null;
  const isRust = row?.name === 'Rust' && program !== undefined && spawnSync(program.argv[0], ['--version']).status !== 0;
  if (row === undefined || program === undefined || isRust || compiler === undefined || !works(compiler)) {
    process.stdout.write(`${folder}: left out: ${row === undefined ? 'no known language' : `no language server or compiler of ${row.name}`}\n`);
    continue;
  }
  await using hands = await createHands({ workspace: root, stateFolder: join(scratch, 'state'), allow: ['write', 'exec'] });
  const before = check(root, commands);
  const random = new Random(seed);
  const symbols = random.shuffled(await symbolsOf(hands, own)).slice(0, most);
  const count = { renamed: 0, refused: 0, wrong: 0, places: 0 };
  for (const { path, symbol, name } of symbols) {
    const now = `${name}Renamed`;
    const startedAt = performance.now();
    const result = await hands.call('code', { action: 'rename', path, symbol, to: now });
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    if (!result.ok) {
      count.refused += 1;
      process.stdout.write(`${row.name} ${symbol} in ${path}: refused: ${result.error.message} (${took})\n`);
      continue;
    }
    const after = check(root, commands, { name, now });
    count.renamed += 1;
    count.places += z.object({ total: z.int() }).parse(result.data).total;
    if (after !== before) {
      count.wrong += 1;
      const known = new Set(before.split('\n'));
      const fresh = after.split('\n').filter((line) => !known.has(line));
      process.stdout.write(`${row.name} ${symbol} in ${path}: WRONG (${took}):\n${fresh.slice(0, 10).join('\n')}\n${result.output}\n`);
    } else process.stdout.write(`${row.name} ${symbol} in ${path}: right (${took})\n`);
    const undone = await hands.undo({ call: result.meta.callId });
    if (!undone.ok || execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim() !== '')
      throw new Error(`Not undone: ${symbol}`);
  }
  process.stdout.write(`${row.name} ${folder}: ${JSON.stringify({ seed, symbols: symbols.length, ...count })}\n`);
  if (count.wrong > 0) process.exitCode = 1;
  rmSync(scratch, { recursive: true, force: true });
}
