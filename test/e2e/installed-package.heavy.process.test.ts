import { execFile, execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What a person who installs `@synapse/hands` gets. */
const PACKED = ['protocol', 'hands'];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

let base: string;
let folder: string;
const modules = (): string => join(folder, 'node_modules');
const manifest = (place: string): Manifest => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;

/** Puts what a package depends on beside it, as npm would: from what is installed here, since tests reach no registry. */
function installDependencies({ dependencies = {}, optionalDependencies = {} }: Manifest): void {
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const source = join(ROOT, 'node_modules', name);
    const target = join(modules(), name);
    if (name.startsWith('@synapse/') || lstatSync(target, { throwIfNoEntry: false }) !== undefined) continue;
    // Packages for other platforms are not installed.
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined) continue;
    mkdirSync(dirname(target), { recursive: true });
    cpSync(realpathSync(source), target, { recursive: true });
    installDependencies(manifest(target));
  }
}

function installed(): string[] {
  return readdirSync(modules()).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules(), name)).map((one) => `${name}/${one}`) : [name],
  );
}

function bytesIn(place: string): number {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'synapse-installed-'));
  folder = join(base, 'project');
  mkdirSync(folder);
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', base, ...PACKED.flatMap((name) => ['-w', join('packages', name)])];
  const packed = JSON.parse(execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })) as Array<{
    readonly name: string;
    readonly filename: string;
  }>;
  for (const { name, filename } of packed) {
    const target = join(modules(), name);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['xf', join(base, filename), '--strip-components=1', '-C', target]);
    installDependencies(manifest(target));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, 120_000);

it('is at most 15 packages and 20 MB', () => {
  expect(installed().length).toBeLessThanOrEqual(15);
  expect(bytesIn(modules())).toBeLessThan(20_000_000);
});

it('runs the example of its README', async () => {
  const readme = readFileSync(join(modules(), '@synapse/hands', 'README.md'), 'utf8');
  const example = /```ts\n(?<code>.*?)```/su.exec(readme)?.groups?.['code'] ?? '';
  expect(example).toContain('createHands');
  writeFileSync(join(folder, 'example.ts'), example);
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder, env: { ...process.env, XDG_STATE_HOME: join(base, 'state') } });
  expect(stdout).not.toBe('');
});

it('takes schemas of its own zod and of a copy of yours, and loads no translations', async () => {
  writeFileSync(
    join(folder, 'zods.ts'),
    `import { isBuiltin, registerHooks } from 'node:module';
const loaded: string[] = [];
registerHooks({ load: (url, context, next) => (isBuiltin(url) || loaded.push(url), next(url, context)) });
const { createHands, defineTool, z: brought } = await import('@synapse/hands');
const ownFiles = loaded.filter((url) => /node_modules.zod./u.test(url)).length;
const { z: yours } = await import('zod');
const tool = (name: string, z: typeof yours) =>
  defineTool({
    name,
    description: name,
    effects: 'read',
    input: z.strictObject({ count: z.int().min(1).describe('How many'), unit: z.enum(['a', 'b']).default('a') }),
    output: z.string(),
    execute: async ({ count, unit }) => ({ data: unit.repeat(count), content: unit.repeat(count) }),
  });
await using hands = await createHands({ workspace: '.', tools: [tool('brought', brought), tool('yours', yours)] });
const schemas = hands.tools('json-schema').filter(({ name }) => name === 'brought' || name === 'yours');
const answers = await Promise.all(
  (['brought', 'yours'] as const).flatMap((name) => [{ count: 3 }, { count: 0 }].map((input) => hands.call(name, input))),
);
console.log(JSON.stringify({ ownFiles, schemas: schemas.map(({ inputSchema }) => inputSchema), answers: answers.map((one) => (one.ok ? one.data : one.error.message)) }));
`,
  );
  const { stdout } = await run(process.execPath, ['zods.ts'], { cwd: folder, env: { ...process.env, XDG_STATE_HOME: join(base, 'state') } });
  const { ownFiles, schemas, answers } = JSON.parse(stdout) as { ownFiles: number; schemas: unknown[]; answers: string[] };
  expect(ownFiles).toBe(0);
  expect(schemas[0]).toMatchObject({ properties: { count: { type: 'integer', minimum: 1, description: 'How many' } } });
  expect(schemas[1]).toEqual(schemas[0]);
  expect(answers.filter((answer) => answer === 'aaa')).toHaveLength(2);
  expect(new Set(answers.map((answer) => answer.replaceAll(/brought|yours/gu, 'tool'))).size).toBe(2);
});

it('loads the runtime with the first hands, not at import', async () => {
  writeFileSync(
    join(folder, 'lazy.ts'),
    `import { isBuiltin, registerHooks } from 'node:module';
let bytes = 0;
let files = 0;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!isBuiltin(url)) files += 1;
    if (!isBuiltin(url)) bytes += loaded.source?.length ?? 0;
    return loaded;
  },
});
const { createHands } = await import('@synapse/hands');
const atImport = bytes;
await using hands = await createHands({ workspace: '.' });
console.log(JSON.stringify({ atImport, withHands: bytes, files }));
`,
  );
  const { stdout } = await run(process.execPath, ['lazy.ts'], { cwd: folder, env: { ...process.env, XDG_STATE_HOME: join(base, 'state') } });
  const { atImport, withHands, files } = JSON.parse(stdout) as { atImport: number; withHands: number; files: number };
  expect(atImport).toBeLessThan(450_000);
  expect(withHands).toBeGreaterThan(2 * atImport);
  // Each takes as long as some 100 KB of compiled code. It would be more than a hundred without the groups of the bundle.
  expect(files).toBeLessThan(40);
});

it('can be imported by each of its entries, and has types that need no skipLibCheck', async () => {
  const { exports = {} } = manifest(join(modules(), '@synapse/hands'));
  const names = Object.keys(exports).filter((path) => path !== './package.json');
  const entries = names.map((path) => `@synapse/hands${path.slice(1)}`);
  expect(entries).toContain('@synapse/hands/testing');
  const imports = entries.map((entry, at) => `import * as e${at} from '${entry}';`).join('\n');
  writeFileSync(join(folder, 'entries.ts'), `${imports}\nconsole.log(${entries.map((_, at) => `typeof e${at}`).join(', ')});\n`);
  const { stdout } = await run(process.execPath, ['entries.ts'], { cwd: folder });
  expect(stdout.trim()).toBe(entries.map(() => 'object').join(' '));

  cpSync(realpathSync(join(ROOT, 'node_modules', '@types', 'node')), join(modules(), '@types', 'node'), { recursive: true });
  cpSync(realpathSync(join(ROOT, 'node_modules', 'undici-types')), join(modules(), 'undici-types'), { recursive: true });
  writeFileSync(
    join(folder, 'use.ts'),
    `${imports}
import { createHands } from '@synapse/hands';
await using hands = await createHands({ workspace: '.' });
const result = await hands.call('read_file', { path: 'a' });
if (result.ok) result.data satisfies { path: string };
// @ts-expect-error -- a misspelt name
await hands.call('raed_file', { path: 'a' });
`,
  );
  const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'esnext', '--module', 'nodenext', '--types', 'node', 'use.ts'];
  const checked = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), options, { cwd: folder }).catch((error: { stdout: string }) => error);
  expect(checked.stdout).toBe('');
});
