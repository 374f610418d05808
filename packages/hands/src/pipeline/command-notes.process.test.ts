import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { systemProgram } from '../launch/system-program.ts';
import { tryRun } from '../sandbox/try-run.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const unshare = systemProgram('unshare');
const hasLayers = unshare !== undefined && (await tryRun(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', ':'])).worked;
const hasSandbox = (await findBubblewrap()) !== undefined;

const base = mkdtempSync(join(tmpdir(), 'synapse-notes-'));
const configFolder = join(base, 'config');
mkdirSync(configFolder);
writeFileSync(join(configFolder, 'config.jsonc'), '{ "caches": { "maxGiB": 0 } }');

/** Fills a cache that no tool has. */
const FILL = "sh -c 'mkdir -p ~/.cache/synapse-test-cache; head -c 100000 /dev/zero > ~/.cache/synapse-test-cache/x'";
const NOT_KEPT = /A cache was not kept for later commands: .*synapse-test-cache/u;
const NO_NETWORK = /Rules deny perl and node, .* so this command has no network/u;

/** Runs a command, and returns its route with the text of its result. */
async function told(options: Omit<HandsOptions, 'workspace'>, command: string): Promise<{ ran: string | undefined; text: string }> {
  await using at = await temporaryHands({ 'a.txt': 'A\n' }, { configFolder, sandbox: 'required', ...options });
  const result = await at.hands.call('run_command', { command });
  if (!result.ok) throw new Error(result.error.message);
  return { ran: result.meta.ran, text: JSON.stringify(result.content) + result.output };
}

describe.skipIf(!hasSandbox)('the result of a command says', () => {
  it.skipIf(!hasLayers).each([
    ['copy', {}],
    ['live', { undoCommands: false }],
  ] as const)('which cache was not kept, on the route %s', async (route, options) => {
    const { ran, text } = await told(options, FILL);
    expect(ran).toBe(route);
    expect(text).toMatch(NOT_KEPT);
  });

  it('that it has no network where rules deny all programs that could forward it, but not where it has none anyway', async () => {
    const options = { network: { domains: ['example.com'] }, policy: { deny: ['exec(node *)', 'exec(perl *)'] } };
    const [writes, reads, offline, one] = await Promise.all([
      told(options, 'echo B > a.txt'),
      told(options, 'cat a.txt'),
      told({ ...options, network: 'off' }, 'echo B > a.txt'),
      told({ ...options, policy: { deny: ['exec(node *)'] } }, 'echo B > a.txt'),
    ]);
    expect([writes.ran, reads.ran, offline.ran]).toEqual(['copy', 'read-only', 'copy']);
    expect([writes, reads, offline, one].map(({ text }) => NO_NETWORK.test(text))).toEqual([true, false, false, false]);
  });
});
