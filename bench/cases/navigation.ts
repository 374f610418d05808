import { createHands } from '@synapse/hands';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'Code navigation, TypeScript, server warm';
const FILES = 100;
/** Lines of the file that is outlined. */
const FUNCTIONS = 60;

/** What each may take, in milliseconds. */
const TARGETS = { definition: 30, outline: 20, rename: 2_000 } as const;

/** A library that a hundred files use, in two projects. */
function writeProject(folder: string): void {
  const config = '{"compilerOptions":{"strict":true},"include":["."]}';
  for (const name of ['src', 'test']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'tsconfig.json'), config);
  }
  const functions = Array.from(
    { length: FUNCTIONS },
    (_, index) => `export function other${index}(value: number): number {\n  return value + ${index};\n}\n`,
  );
  writeFileSync(join(folder, 'src/library.ts'), `export function total(value: number): number {\n  return value;\n}\n${functions.join('')}`);
  for (let index = 0; index < FILES; index += 1) {
    const place = index % 2 === 0 ? 'src' : 'test';
    const uses = Array.from({ length: 20 }, (_, line) => `export const value${line} = total(${line});\n`).join('');
    writeFileSync(join(folder, place, `use${index}.ts`), `import { total } from '../src/library';\n${uses}`);
  }
}

/** Questions about symbols, and a rename across a hundred files, once the server runs. */
export async function navigationCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-navigation-')));
  const workspace = join(base, 'workspace');
  mkdirSync(workspace);
  writeProject(workspace);
  try {
    await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
    const ask = async (input: object): Promise<void> => {
      const result = await hands.call('code', input as never);
      if (!result.ok) throw new Error(result.error.message);
      if ('kind' in Object(result.data) && Object(input).action !== 'outline' && Object(result.data).kind !== 'server')
        throw new Error(`no language server: ${result.output}`);
    };
    const names = ['total', 'amount'];
    const timings = await measure(
      [
        { name: 'definition', run: async () => await ask({ action: 'definition', path: 'test/use1.ts', line: 3, text: names[0] }) },
        { name: 'outline', run: async () => await ask({ action: 'outline', path: 'src/library.ts' }) },
        {
          name: 'rename',
          run: async () => {
            const [symbol = '', to = ''] = names;
            await ask({ action: 'rename', path: 'src/library.ts', symbol, to });
            names.reverse();
          },
        },
      ],
      { rounds: 7, perRound: 1 },
    );
    const what: Readonly<Record<string, string>> = {
      definition: 'definition',
      outline: `outline of a file with ${FUNCTIONS + 1} functions`,
      rename: `rename, ${FILES * 21 + 1} places in ${FILES + 1} files of two projects`,
    };
    return timings.map(({ name, median }) => {
      const target = TARGETS[name as keyof typeof TARGETS];
      return { group: GROUP, what: what[name] ?? name, ours: time(median), peer: '', compared: '', target: `≤ ${target} ms`, met: median <= target };
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
