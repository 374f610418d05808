import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Approver } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';

const SERVER = fileURLToPath(new URL('../mcp-client/fixtures/raw-server.ts', import.meta.url));
const ENDED = 'The workspace is unchanged. Give the program less to do, or a greater timeout_ms.\n';
const PNG = Buffer.from('not really a picture').toString('base64');

/** Hands with a server `s`, whose tool `answer` answers with what it is given, and `wait` never does. */
async function withServer(options: Omit<HandsOptions, 'workspace'> = {}, ...traits: string[]): Promise<TemporaryHands> {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-servers-'));
  writeFileSync(join(folder, 'tools.json'), JSON.stringify([{ name: 'Odd Name/ü', description: 'An odd one.', inputSchema: { type: 'object' } }]));
  const servers = { s: { command: process.execPath, args: [SERVER, folder, ...traits] } };
  const bench = await temporaryHands({ a: 'a\n' }, { allow: ['write', 'exec', 'mcp'], mcp: { servers }, ...options });
  await bench.hands.mcp.settled();
  return bench;
}

async function output({ hands }: TemporaryHands, code: string): Promise<string> {
  const result = await hands.call('run_program', { code });
  return result.ok ? result.output : `${result.error.code}: ${result.error.message}\n${result.error.hint ?? ''}`;
}

const answering = (given: object): string => `hands.call('mcp:s:answer', { result: ${JSON.stringify(given)} })`;
const TEXT = answering({ content: [{ type: 'text', text: 'hello' }] });
const FAILED = answering({ isError: true, content: [{ type: 'text', text: 'Quota exceeded' }] });

describe('run_program with tools of servers', { timeout: 60_000 }, () => {
  it('gets what they answer, also pictures and structured values, and under each of their names', async () => {
    await using bench = await withServer();
    const image = { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] };
    const code = `return [
      (await ${TEXT}).content[0].text,
      (await hands['mcp:s:answer']({ result: { structuredContent: { sum_of: 3 } } })).structured.sumOf,
      (await hands.mcp__s__answer({ result: ${JSON.stringify(image)} })).content[0].data.length,
      (await hands.call(/mcp:s:Odd\\S+?(?=:)/u.exec(await hands.help())[0])).content.length]`;
    const result = await bench.hands.call('run_program', { code });
    expect(result).toMatchObject({ ok: true, data: { returned: ['hello', 3, PNG.length, 1], calls: 5 }, meta: { completion: 'ok' } });
    expect(result.ok && result.output).toMatch(/from MCP server s: not instructions\]\n/u);
  });

  it('throws what they say, and takes back what it changed itself', async () => {
    await using bench = await withServer();
    const said = await output(
      bench,
      `try { await ${FAILED} } catch ({ name, code, message }) { return [name, code, message.includes('Quota exceeded')] }`,
    );
    expect(said).toContain('["ToolError","tool_failed",true]');
    const failed = await output(bench, `await hands.write_file({ path: 'b', content: 'b' }); await ${TEXT}; await ${FAILED}`);
    expect(failed.split('\n')[0]).toBe(
      '[3 calls; the program failed, so the workspace is unchanged; what it did outside of the workspace stays: mcp:s:answer (2 calls)]',
    );
    expect(await bench.hands.changes()).toEqual([]);
  });

  it.each<readonly [what: string, code: string, told: string]>([
    ['that only reads files', `return (await hands.read_file({ path: 'a' })).content`, '[1 call; the workspace is unchanged]'],
    [
      'whose call the server never got',
      `await hands.call('mcp:s:echo', {}).catch(() => {}); return 1`,
      '[1 call; 1 failed: mcp:s:echo: text is missing; the workspace is unchanged]',
    ],
    [
      'that ended a server',
      `await hands.call('mcp:s:die', {}).catch(() => {}); return 1`,
      '[1 call; 1 failed: mcp:s:die: The MCP server s is gone; whether the call had an effect is not known; the workspace is unchanged; what it did outside of the workspace stays: mcp:s:die]',
    ],
    // What the server says of it stays out of the note, which a model takes for Synapse's own words.
    [
      'that a server refused',
      `await ${FAILED}.catch(() => {}); return 1`,
      '[1 call; 1 failed: mcp:s:answer; the workspace is unchanged; what it did outside of the workspace stays: mcp:s:answer]',
    ],
    [
      'that called several',
      `await hands.call('mcp:s:echo', { text: 't' }); await ${TEXT}; await hands.send(); return 1`,
      '[3 calls; the workspace is unchanged; what it did outside of the workspace stays: mcp:s:echo, mcp:s:answer, send]',
    ],
  ])('tells of a program %s what it did to others', async (_, code, told) => {
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      effects: 'exec',
      outside: true,
      input: z.strictObject({}),
      execute: async () => 'sent',
    });
    await using bench = await withServer({ tools: [send], policy: { allow: ['send'] } });
    expect((await output(bench, code)).split('\n')[0]).toBe(told);
  });

  it('tells it of a program that runs out of time, too', async () => {
    await using bench = await withServer();
    const result = await bench.hands.call('run_program', {
      code: `await ${TEXT}; console.log('so far'); await hands.call('mcp:s:wait')`,
      timeout_ms: 3_000,
    });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'timeout', hint: `${ENDED}What it did outside of the workspace stays: mcp:s:answer, mcp:s:wait` },
    });
  });

  it('asks for each call where none is allowed, and goes on without one that is refused', async () => {
    const asked: string[] = [];
    const approver: Approver = {
      name: 'test',
      async ask({ tool, arguments: given }) {
        asked.push(`${tool} ${JSON.stringify(given)}`);
        return asked.length === 1 ? { verdict: 'allow', scope: 'once' } : { verdict: 'deny', reason: 'not twice' };
      },
    };
    await using bench = await withServer({ allow: [], approver });
    const code = `const all = await Promise.allSettled(['a', 'b'].map((text) => hands.call('mcp:s:echo', { text })));
      return all.map(({ status, reason }) => [status, reason?.code, /They said: (.*)/u.exec(reason?.message)?.[1]]);`;
    expect(await output(bench, code)).toContain('[["fulfilled",null,null],["rejected","denied","not twice"]]');
    expect(asked).toEqual(['mcp:s:echo {"text":"a"}', 'mcp:s:echo {"text":"b"}']);
  });

  it('finds and calls those of a server with too many to list', async () => {
    await using bench = await withServer({}, 'many=60');
    expect(await output(bench, `return await hands.help('mcp:s:tool_7')`)).toContain('hands.call("mcp:s:tool_7", {})');
    expect(await output(bench, `return (await hands.mcp_search({ query: 'thing of number 7' })).tools[0].name`)).toContain('mcp:s:tool_7');
    expect(await output(bench, `return await hands.call('mcp:s:tool_7')`)).toContain('mcp:s:tool_7]');
  });
});
