import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const COUNT = fileURLToPath(new URL('../../scripts/count-files.ts', import.meta.url));
const LIMITED = /^(?<path>[\w ]+): (?<files>\d+) files \(at most (?<most>\d+)\)/gmu;

it.skipIf(!existsSync('/usr/bin/bwrap'))('a warm call over MCP runs few files', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=synapse-source', COUNT], { encoding: 'utf8' });
  const counts = Array.from(stdout.matchAll(LIMITED), ({ groups }) => ({
    path: groups?.['path'],
    files: Number(groups?.['files']),
    most: Number(groups?.['most']),
  }));
  expect(
    counts.map(({ path }) => path),
    stderr,
  ).toEqual(['read a file', 'edit a file', 'a command that reads', 'npm test that writes nothing', 'npm test that writes a file']);
  for (const { path, files, most } of counts) {
    expect(files, path).toBeLessThanOrEqual(most);
    // Fewer would be a call that failed.
    expect(files).toBeGreaterThan(most / 2);
  }
});
