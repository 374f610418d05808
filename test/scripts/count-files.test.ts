import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const COUNT = fileURLToPath(new URL('../../scripts/count-files.ts', import.meta.url));
const LIMITED = /^(?<tool>\w+): (?<files>\d+) files \(at most (?<most>\d+)\)/gmu;

it.skipIf(!existsSync('/usr/bin/bwrap'))('a warm call over MCP runs few files', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=synapse-source', COUNT], { encoding: 'utf8' });
  const counts = Array.from(stdout.matchAll(LIMITED), ({ groups }) => ({
    tool: groups?.['tool'],
    files: Number(groups?.['files']),
    most: Number(groups?.['most']),
  }));
  expect(
    counts.map(({ tool }) => tool),
    stderr,
  ).toEqual(['read_file', 'run_command']);
  for (const { tool, files, most } of counts) {
    expect(files, `files of ${tool}`).toBeLessThanOrEqual(most);
    // Fewer would be a call that failed.
    expect(files).toBeGreaterThan(most / 2);
  }
});
