import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { FILES, type SeenResult } from './scenario.ts';
import { startWireServer } from './wire-server.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

/** Keeps what is compiled of the packages: most are run several times. */
const COMPILED = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'));

/** Where each example looks for its server. */
const ENVIRONMENT: Readonly<Record<string, (url: string) => Record<string, string>>> = {
  'openai-chat.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
  'openai-responses.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
  'anthropic.ts': (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
  'gemini.ts': (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }),
  'ai-sdk.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
  'langchain.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
  'mastra.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', MASTRA_TELEMETRY_DISABLED: '1' }),
  'openai-agents.ts': (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
};

/** Those that speak Chat Completions, which takes no images in results. */
const TEXT_ONLY: ReadonlySet<string> = new Set(['openai-chat.ts', 'langchain.ts', 'mastra.ts']);

/** Packages that an example runs with in place of those it names. */
const VERSIONS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'ai-sdk.ts': [{}, { ai: 'ai-6', '@ai-sdk/openai': 'ai-sdk-openai-3' }, { ai: 'ai-5', '@ai-sdk/openai': 'ai-sdk-openai-2' }],
};

it('every example is run', () => {
  expect(readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'))).toEqual(Object.keys(ENVIRONMENT).sort());
});

const runs = Object.keys(ENVIRONMENT).flatMap((name) =>
  (VERSIONS[name] ?? [{}]).flatMap((packages) => ['', '--stream'].map((flag) => [name, flag, Object.values(packages).join(' '), packages] as const)),
);

/** Tells node to load other packages than those a program names. */
function loadInstead(packages: Readonly<Record<string, string>>): string {
  const code = `import { registerHooks } from 'node:module';
    const packages = ${JSON.stringify(packages)};
    registerHooks({ resolve: (name, context, next) => next(packages[name] ?? name, context) });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

it.each(runs)('examples/%s %s %s', async (name, flag, _, packages) => {
  await using server = await startWireServer();
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-example-')));
  const folder = join(base, 'workspace');
  await mkdir(folder);
  for (const [path, content] of Object.entries(FILES)) await writeFile(join(folder, path), content);
  const words = ['--import', loadInstead(packages), join(EXAMPLES, name), 'Read the files.'];
  const child = spawn(process.execPath, [...words, ...(flag === '' ? [] : [flag])], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: base, XDG_STATE_HOME: join(base, 'state'), ...COMPILED, ...ENVIRONMENT[name]?.(server.url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const changed = await readFile(join(folder, 'd.txt'), 'utf8').catch(() => 'not written');
  await rm(base, { recursive: true, force: true });
  expect({ refusals: server.refusals, err }).toEqual({ refusals: [], err: '' });
  const seen = (JSON.parse(out) as SeenResult[]).toSorted((a, b) => a.id.localeCompare(b.id));
  expect(seen.map(({ id, isError }) => `${id} ${String(isError)}`)).toEqual([
    'call_1 false',
    'call_2 false',
    'call_3 false',
    'call_4 true',
    'call_5 false',
  ]);
  expect(seen[0]?.text).toContain('alpha');
  expect(seen[2]?.images, 'c.png').toBe(TEXT_ONLY.has(name) ? 0 : 1);
  expect(changed).toBe('gamma\n');
  expect(server.requests).toHaveLength(3);
});
