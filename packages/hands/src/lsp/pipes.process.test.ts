import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'tsconfig.json': '{"extends":"./config/base.json","compilerOptions":{"strict":true}}',
  'config/base.json': '{}',
  'package.json': '{}',
  'src/a.ts': "import { b } from './b';\nimport 'plain';\nexport const x: number = b;\n",
  'src/b.ts': 'export const b = 1;\n',
  'node_modules/plain/package.json': '{"types":"index.d.ts"}',
  'node_modules/plain/index.d.ts': 'export {};\n',
};

// The sandbox is what a server runs in; where there is none, it needs the permission that a command needs.
const confined = (await findBubblewrap())?.usable === true;

function makePipe(path: string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

describe.skipIf(!confined || process.platform !== 'linux')('a named pipe that the language server of TypeScript reads is named', () => {
  // The first four are judged before the server starts, the others are seen when it waits.
  it.each([
    'tsconfig.json',
    'package.json',
    'src/tsconfig.json',
    'jsconfig.json',
    'config/base.json',
    'src/b.ts',
    'node_modules/plain/package.json',
    'node_modules/plain/index.d.ts',
  ])('%s', { timeout: 60_000 }, async (path) => {
    await using place = await temporaryHands(FILES, { allow: ['write'] });
    makePipe(place.at(path));
    const result = await place.hands.call('diagnostics', { path: 'src/a.ts' });
    expect(JSON.stringify(result)).toContain(`${path} is a named pipe`);
  });

  it('also when it gets there while the server runs', { timeout: 60_000 }, async () => {
    await using place = await temporaryHands(FILES, { allow: ['write'] });
    // The control: with files, the server answers.
    expect(await place.hands.call('diagnostics', { path: 'src/a.ts' })).toMatchObject({ ok: true, data: { files: [{ status: 'checked' }] } });
    makePipe(place.at('tsconfig.json'));
    expect(JSON.stringify(await place.hands.call('diagnostics', { path: 'src/a.ts' }))).toContain('tsconfig.json is a named pipe');
  });
});
