import { createHands, defineTool } from '@synapse/hands';
import { queryAudit } from '@synapse/hands/internal';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { auditResources } from './audit-resources.ts';

it('shows the calls, and not what a failure says of this machine', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  const broken = defineTool({
    name: 'broken',
    title: 'x',
    description: 'x',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    permission: () => [],
    timeoutMs: 1_000,
    keep: 'head',
    summarize: () => 'x',
    execute: async () => {
      throw new Error('in /home/ada/secret-place');
    },
  });
  await using hands = await createHands({ workspace, stateFolder, tools: [broken] });
  await hands.call('broken', {});
  const place = { stateFolder, workspace: hands.workspace };
  expect(JSON.stringify([...queryAudit(stateFolder, hands.workspace)])).toContain('secret-place');
  const [newest] = auditResources(place);
  const [content] =
    (await newest?.read({ uri: 'synapse://audit', variables: {}, sessionId: 'a', signal: new AbortController().signal, mayHearOf: () => true })) ??
    [];
  expect(JSON.stringify(content)).toContain('broken');
  expect(JSON.stringify(content)).not.toContain('secret-place');
});
