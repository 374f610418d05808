import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PersonForm } from '@synapse/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { mcpPlace, type McpPlace } from './fixtures/raw-hands.ts';
import { unmarked } from './fixtures/marked-output.ts';

let place: McpPlace;
beforeEach(async () => void (place = await mcpPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const COLOR = { type: 'object', properties: { color: { type: 'string', enum: ['red', 'blue'] } }, required: ['color'] };
const READY = { type: 'object', properties: { color: { type: 'string', default: 'red' } }, required: ['color'] };

/** What the server was told, as it tells it on. */
async function told(tool: string, input: object, approver?: Approver): Promise<unknown> {
  const hands = await place.open(
    { servers: { raw: place.raw() } },
    { ...(approver === undefined ? {} : { approver }), policy: { allow: ['mcp(*)'] } },
  );
  const result = await hands.call(`mcp:raw:${tool}`, input);
  if (!result.ok) throw new Error(result.error.message);
  // What was not answered is said in a line before.
  const { result: answer, error } = JSON.parse(unmarked(result.output)) as { result?: unknown; error?: { code: number } };
  return answer ?? error?.code;
}

describe('a server that asks', () => {
  it('gets what a person fills in', async () => {
    const forms: PersonForm[] = [];
    const person: Approver = {
      name: 'a person',
      ask: async () => ({ verdict: 'deny' }),
      fill: async (form) => {
        forms.push(form);
        return { action: 'accept', content: { color: 'blue' } };
      },
    };
    expect(await told('ask', { schema: COLOR }, person)).toEqual({ action: 'accept', content: { color: 'blue' } });
    expect(forms).toMatchObject([{ server: 'raw', tool: 'mcp:raw:ask', schema: COLOR }]);
  });

  it.each([
    ['allow', { action: 'accept', content: { color: 'red' } }],
    ['deny', { action: 'decline' }],
    ['later', { action: 'cancel' }],
  ] as const)('is put to the approver, where nothing has to be typed: %s', async (verdict, answer) => {
    const requests: ApprovalRequest[] = [];
    const ask: Approver['ask'] = async (request) => {
      requests.push(request);
      return verdict === 'allow' ? { verdict, scope: 'once' } : { verdict };
    };
    expect(await told('ask', { schema: READY }, { name: 'a person', ask })).toEqual(answer);
    expect(requests).toMatchObject([
      { tool: 'mcp:raw:ask', proposals: [], effects: [expect.stringMatching(/^Which\P{C}+color\?$/u), 'answers color: "red"'] },
    ]);
  });

  it('is cancelled where something has to be typed and nobody can, and where nobody is', async () => {
    const ask: Approver['ask'] = async () => ({ verdict: 'allow', scope: 'once' });
    expect(await told('ask', { schema: COLOR }, { name: 'a person', ask })).toEqual({ action: 'cancel' });
    expect(await told('ask', { schema: READY })).toEqual({ action: 'cancel' });
  });

  it('gets the workspace as its root, and no model', async () => {
    expect(await told('roots', {})).toEqual({ roots: [{ uri: pathToFileURL(place.workspace).href, name: 'workspace' }] });
    expect(await told('sample', {})).toBe(-32601);
  });
});

describe('a server of 2026-07-28 that answers with a question', () => {
  const ASKING = { command: process.execPath, args: [fileURLToPath(new URL('fixtures/asking-server.ts', import.meta.url))] };
  const filled: Record<string, object> = { 'Which color?': { color: 'blue' }, 'Which size?': { size: 3 }, 'Sign in.': {} };
  const person: Approver = {
    name: 'a person',
    ask: async () => ({ verdict: 'deny' }),
    fill: async ({ message }) => ({ action: 'accept', content: { ...filled[message] } }),
  };

  async function call(tool: string, approver?: Approver) {
    const hands = await place.open(
      { servers: { asking: ASKING } },
      { ...(approver === undefined ? {} : { approver }), policy: { allow: ['mcp(*)'] } },
    );
    return await hands.call(`mcp:asking:${tool}`, {});
  }

  it.each([
    ['form', { color: { kind: 'elicit', action: 'accept', content: { color: 'blue' } } }],
    [
      'both',
      {
        color: { kind: 'elicit', action: 'accept', content: { color: 'blue' } },
        size: { kind: 'elicit', action: 'accept', content: { size: 3 } },
      },
    ],
    ['page', { page: { kind: 'elicit', action: 'accept' } }],
  ])('%s: gets what a person says, in the same call', async (tool, answer) => {
    const result = await call(tool, person);
    expect(result, JSON.stringify(result)).toMatchObject({ ok: true });
    expect(JSON.parse(result.ok ? unmarked(result.output) : '')).toEqual(answer);
  });

  it('gets a refusal where no person can answer', async () => {
    const result = await call('form');
    expect(JSON.parse(result.ok ? unmarked(result.output) : '')).toEqual({ color: { kind: 'elicit', action: 'cancel' } });
  });

  it('is not asked without end', async () => {
    let asked = 0;
    const result = await call('endless', { ...person, fill: async () => ((asked += 1), { action: 'accept', content: { color: 'red' } }) });
    expect(result).toMatchObject({ ok: false });
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(50);
  });
});
