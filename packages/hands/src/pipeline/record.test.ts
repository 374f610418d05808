import type { ContentBlock } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { newCallState, type ShapedCall } from '../call/call.ts';
import { PROBE } from '../testing/probe-tool.ts';
import { defineTool } from '../tool/tool.ts';
import { recordSuccess, type Recorders } from './record.ts';

it('a command that ran is a success, also if its record fails', async () => {
  const ended: unknown[] = [];
  const events: unknown[] = [];
  const recorders = {
    audit: { summary: () => 'probe', end: async ({ state }: ShapedCall) => void ended.push(state.command) },
    emit: (event: unknown) => void events.push(event),
    keepTexts: () => {},
  };
  const state = newCallState();
  state.endCommand = async () => {
    throw Object.assign(new Error('stat /home/me/bin/x'), { code: 'EIO' });
  };
  const content: ContentBlock[] = [{ type: 'text', text: 'done' }];
  const call = {
    callId: 'c1',
    name: 'probe',
    options: {},
    input: {},
    arguments: {},
    startedAt: 0,
    tool: defineTool({ ...PROBE, execute: async () => ({ data: {}, content: 'done' }) }),
    state,
    data: {},
    content,
    bytes: 4,
  };
  const result = await recordSuccess(call as unknown as ShapedCall, recorders as unknown as Recorders);
  expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/^done\n.*This command has no receipt.*\(EIO\)/u) });
  expect([result.meta.receipt, ended]).toEqual([undefined, [undefined]]);
  expect(JSON.stringify(result)).not.toContain('/home/me');
  expect(events).toMatchObject([{ type: 'call-end', ok: true }]);
});
