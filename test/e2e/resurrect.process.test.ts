import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';

const FILES = { 'package.json': '{"name":"demo","version":"1.0.0"}\n', 'README.md': '# Demo\n', 'TODO.md': '- [ ] finish\n' };

it('puts the report on stdout, and steps and advice on stderr', async () => {
  const place = await makePlace(FILES);
  spawnSync('git', ['init', '-q'], { cwd: place.folder });
  const { code, out, err } = await runCli(place, ['resurrect']);
  expect(code).toBe(0);
  expect(out).toMatch(/^---\nattribution:/u);
  expect(err).toMatch(/^Step 1\/\d+ {2}/mu);
  expect(err).toContain(`synapse mcp --workspace ${place.folder}`);
});

it('gives a program the report, its attribution and its steps', async () => {
  const place = await makePlace(FILES);
  const { code, out } = await runCli(place, ['resurrect', place.folder, '--json', '--quiet']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    report: expect.any(String) as string,
    attribution: { files_read: expect.arrayContaining(['package.json']) as string[], tool_calls: expect.any(Object) as object },
    steps: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) as string, ms: expect.any(Number) as number })]) as object[],
    complete: expect.any(Boolean) as boolean,
  });
});

it('is silent beside the report when asked to be', async () => {
  const place = await makePlace(FILES);
  const { err } = await runCli(place, ['resurrect', '--quiet']);
  expect(err).toBe('');
});
