import nodeModule from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Answer } from './messages.ts';
import { runProgram, type RanProgram } from './run-program.ts';

interface Told {
  readonly ran: RanProgram;
  /** The lines. */
  readonly printed: readonly string[];
}

/** Runs a program whose tools return their input. The tool `fail` fails. */
async function run(code: string, milliseconds = 60_000): Promise<Told> {
  const printed: string[] = [];
  const call = async (_: string, name: string, input: unknown): Promise<Answer> =>
    name === 'no_json'
      ? { data: 1n }
      : name === 'fail'
        ? { error: { code: 'not_found', message: 'File not found: x', hint: 'Look again.' } }
        : { data: { name, input } };
  const ran = await runProgram(code, { call, print: (text) => void printed.push(...text.split('\n')), signal: AbortSignal.timeout(milliseconds) });
  return { ran, printed };
}

/** Whether this Node turns enums and namespaces into JavaScript: 26 does not. */
const hasEnums = ((): boolean => {
  try {
    return nodeModule.stripTypeScriptTypes('enum E { A }', { mode: 'transform' }) !== '';
  } catch {
    return false;
  }
})();

describe('a program', { timeout: 120_000 }, () => {
  it.each<readonly [code: string, value: unknown]>([
    ['return 1 + 1', 2],
    ['return "a"', 'a'],
    ['', undefined],
    ['return undefined', undefined],
    ['return await hands.read_file({ path: "a" })', { name: 'read_file', input: { path: 'a' } }],
    ['return await hands.call("mcp:files:read", { path: "a" })', { name: 'mcp:files:read', input: { path: 'a' } }],
    ['return await hands.git_status()', { name: 'git_status', input: {} }],
    ['return (await Promise.all(Array.from({ length: 100 }, (_, i) => hands.x({ i })))).map(({ input }) => input.i).at(-1)', 99],
    ['const x: number = 5; interface A { b: string } return x as number', 5],
    ['async () => { return 7 }', 7],
    ['async function main() { return 8 }\nreturn await main()', 8],
    ['() => 9', 9],
    [
      'try { await hands.fail() } catch (error) { return [error.name, error.code, error.message] }',
      ['ToolError', 'not_found', 'File not found: x\nLook again.'],
    ],
    ['const c = { n: 10n, m: new Map([["k", 1]]), s: new Set([1]) }; return c', { n: '10', m: { k: 1 }, s: [1] }],
    ['const c = {}; c.c = c; return c', '{ c: [circular] }'],
    [
      'const { read_file: read } = hands; console.log(read, hands.call); return [{ read }, read.name, (await read({ path: "a" })).name]',
      [{}, '', 'read_file'],
    ],
    ['return await (async (h) => (await h).read_file({ path: "p" }))(hands)', { name: 'read_file', input: { path: 'p' } }],
    ['hands.x({}).then(() => hands.x({})); return "early"', 'early'],
    ['const p = hands.x({ n: 1 }); return [p instanceof Promise, (await p).input.n, await p.then(({ name }) => name)]', [true, 1, 'x']],
    ['return await Promise.all([hands.x({}).catch(() => 1), hands.x({}).finally(() => {})]).then((all) => all.length)', 2],
    [
      'return { a: hands.x({}), b: [hands.x({})] }',
      { a: '[a promise: write await before the call]', b: ['[a promise: write await before the call]'] },
    ],
    ['const p = hands.fail(); await hands.x({}); try { await p } catch (error) { return error.code }', 'not_found'],
    ['const { input } = await hands.x({ exit_code: 3, list: [{ end_line: 2 }] }); return [input.exitCode, input.list[0].endLine]', [3, 2]],
    ['const { input: { exitCode, exit_code } } = await hands.x({ exitCode: 1, exit_code: 2 }); return [exitCode, exit_code]', [1, 2]],
    [
      'const { input } = await hands.x({ a_b: 1 }); return [input.aC, input.toString(), input instanceof Object, "aB" in input, Object.keys(input), input]',
      [null, '[object Object]', true, false, ['a_b'], { a_b: 1 }],
    ],
    ['try { await hands.no_json() } catch (error) { return [error.name, error.code] }', ['ToolError', 'internal']],
    ['hands.fail().catch(() => {}); return 1', 1],
    ['hands.fail().then(() => {}, () => {}); return 1', 1],
    ['hands.fail().finally(() => {}).catch(() => {}); return 1', 1],
    ['return (await Promise.allSettled([hands.fail(), hands.x({})])).map(({ status }) => status)', ['rejected', 'fulfilled']],
    ['return await Promise.race([hands.x({}), hands.fail()]).then(({ name }) => name)', 'x'],
    ['const f = async () => hands.fail(); return await f().catch(({ code }) => code)', 'not_found'],
    [
      'return [...(await Promise.allSettled([hands.fail(), Promise.reject(new TypeError("t"))])), new RangeError("r")]',
      [
        { status: 'rejected', reason: { name: 'ToolError', code: 'not_found', message: 'File not found: x\nLook again.' } },
        { status: 'rejected', reason: { name: 'TypeError', message: 't' } },
        { name: 'RangeError', message: 'r' },
      ],
    ],
    ['#!/usr/bin/env -S synapse program\nreturn 11', 11],
    ['```js\nreturn 6\n```', 6],
    // An asynchronous function that the last line calls is waited for.
    ['async function main() { await hands.x({}); return 12 }\nmain();', 12],
    ['const main = async (n: number) => n + 1\n  void main(12)', 13],
    ['async function main() { return 5 }\nconst x =\nmain()\n', undefined],
    ['function main() { return 5 }\nmain();', undefined],
    ['```\nasync () => 7\n```\n', 7],
    ['console.table([1]); console.time("a"); console.group("g"); console.groupEnd(); return 1', 1],
  ])('%s', async (code, value) => {
    const { ran } = await run(code);
    expect(ran).toMatchObject({ ok: true });
    expect(ran.ok && ran.json !== undefined ? JSON.parse(ran.json) : undefined).toEqual(value);
  });

  it.each<readonly [code: string, error: object]>([
    ['\n\nnull.x', { name: 'TypeError', line: 3 }],
    ['```ts\nconst a: number = 1;\nnull.x\n```', { name: 'TypeError', line: 3 }],
    // A call that nothing waits for fails the program, too.
    ['hands.fail();\nreturn "done"', { name: 'ToolError', line: 1, message: expect.stringContaining('did not wait for this call') as unknown }],
    ['hands.x({}).then(() => hands.fail()); return 1', { name: 'ToolError' }],
    ['for (const i of [1, 2]) hands.x({}).then(() => { throw new RangeError("r") })', { name: 'RangeError' }],
    ['async function main() {\n  await hands.fail();\n}\nmain();', { name: 'ToolError', line: 2 }],
    ['const a = 1;\nasync function main() { null.x }\nmain()', { name: 'TypeError', line: 2 }],
    // Without await, nothing of an answer can be read.
    [
      'const r = hands.read_file({ path: "a" });\nreturn r.content',
      { name: 'TypeError', message: expect.stringContaining('hands.read_file(…) is a promise: write await before it') as unknown, line: 2 },
    ],
    ['return hands.read_file({ path: "a" }).content.length', { message: expect.stringContaining('write await') as unknown }],
    ['const { files } = hands.find_files({ glob: "*" }); return files', { message: expect.stringContaining('write await') as unknown }],
    ['const text = hands.read_file({ path: "a" });\nreturn `${text}`', { message: expect.stringContaining('write await') as unknown, line: 2 }],
    ['#!/usr/bin/env node\nnull.x', { name: 'TypeError', line: 2 }],
    ['return hands.call("x", {}).data', { message: expect.stringContaining('write await') as unknown }],
    [
      'return await hands.mcp.server.tool({ a: 1 })',
      {
        name: 'TypeError',
        message: expect.stringMatching(/^hands\.mcp is a function and has no server\. .*hands\.call\("mcp:/u) as unknown,
        line: 1,
      },
    ],
    ['return await hands.read_file', { message: expect.stringContaining('hands.read_file is a function') as unknown }],
    ['let x = ;', { name: 'SyntaxError', line: 1 }],
    ['const x: number = ;', { name: 'SyntaxError', message: expect.stringMatching(/; as TypeScript: ./u) as unknown }],
    ['const x: number = 1;\nconst x = 2;', { name: 'SyntaxError', line: 2 }],
    ['return (1', { name: 'SyntaxError', line: 1 }],
    ['import fs from "node:fs"; return fs', { message: expect.stringContaining('imports and exports nothing') as unknown }],
    ['await import("node:fs")', { name: 'ReferenceError' }],
    ['await hands.x({});\nawait hands.fail()', { name: 'ToolError', message: 'File not found: x\nLook again.', line: 2 }],
    ['await hands.x({});\nawait Promise.all([1].map((one) =>\n  hands.call("fail", { one })))', { name: 'ToolError', line: 3 }],
    ['throw 5', { message: '5' }],
    ['return "x".repeat(9e6)', { message: 'It returned more than 8000000 characters.' }],
    ['const f = () => f(); f()', { message: 'stack overflow' }],
    ['await new Promise(() => {})', { message: 'It waits for a promise that nothing settles.' }],
    ['const a = []; while (true) a.push(new Uint8Array(1e6).fill(1))', { message: expect.stringContaining('memory') as unknown }],
    ['for (let i = 0; i < 6000; i += 1) await hands.x({})', { message: 'A program makes at most 5000 calls.' }],
    ['return { get a() { throw new Error("own") } }', { message: 'own' }],
    [
      'Object.prototype.toJSON = () => { throw new Error("mine") }; return await hands.x({})',
      { message: expect.stringContaining('mine') as unknown },
    ],
  ])('fails: %s', async (code, error) => {
    expect((await run(code)).ran).toMatchObject({ ok: false, error });
  });

  it('has enums and namespaces where Node has them, and else says so; it names no line where lines were moved', async () => {
    const unknown = { name: 'SyntaxError', message: expect.stringMatching(/; as TypeScript: TypeScript (?:enum|namespace)/u) as unknown };
    const { ran } = await run('enum E { A, B = 4 }\nnamespace N { export const a: number = 1 }\nreturn E.B + N.a');
    expect(ran).toMatchObject(hasEnums ? { ok: true, json: '5' } : { ok: false, error: unknown });
    const failed = (await run('enum E { A }\nnull.x')).ran;
    expect(failed).toMatchObject({ ok: false, error: hasEnums ? { name: 'TypeError', message: "cannot read property 'x' of null" } : unknown });
    expect(failed.ok || failed.error.line === undefined).toBe(hasEnums);
    expect((await run('type E = 1\nnull.x')).ran).toHaveProperty('error.line', 2);
  });

  it('prints as a console does', async () => {
    const { printed } = await run('console.log("a", 1, [2, { b: "c" }], new Map([[1, 2]]), null); console.error(new TypeError("no")); console.log()');
    expect(printed).toEqual(['a 1 [2, { b: "c" }] Map [[1, 2]] null', 'TypeError: no', '']);
  });

  it('prints a bounded amount', async () => {
    const { ran, printed } = await run('for (let i = 0; i < 3000; i += 1) console.log("x".repeat(1000))');
    expect(ran.ok).toBe(true);
    expect(printed.length).toBeLessThan(1_010);
    expect(printed.at(-1)).toBe('… more was printed, and is left out');
  });

  it('prints many short lines in few messages, and tells them all if it is ended from outside', async () => {
    const printed: string[] = [];
    const stopped = new AbortController();
    const running = runProgram('for (let line = 0; line < 300_000; line += 1) console.log(line % 10); console.log("all"); for (;;);', {
      call: async () => ({ data: null }),
      signal: stopped.signal,
      print(text) {
        printed.push(text);
        if (text.endsWith('all')) stopped.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(printed.join('\n').split('\n').length).toBe(300_001);
    expect(printed.length).toBeLessThan(1_000);
  });

  it('prints texts, and calls tools, with whatever characters these have', async () => {
    const names: string[] = [];
    const printed: string[] = [];
    const ran = await runProgram('console.log("a\\0b\\ud800"); await hands.call("x\\0y"); return "c\\0d"', {
      call: async (_, name) => ({ data: names.push(name) }),
      print: (text) => void printed.push(text),
      signal: AbortSignal.timeout(60_000),
    });
    expect([printed, names, ran]).toMatchObject([['a\0b\uD800'], ['x\0y'], { ok: true, json: String.raw`"c\u0000d"` }]);
  });

  it('waits for calls that it does not wait for itself, and runs at most 16 at once', async () => {
    let [now, most, ended] = [0, 0, 0];
    const { promise: full, resolve: fill } = Promise.withResolvers<void>();
    const call = async (): Promise<Answer> => {
      now += 1;
      most = Math.max(most, now);
      // Late enough for one more, if one more could begin.
      if (now === 16) for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (now === 16) fill();
      await full;
      now -= 1;
      ended += 1;
      return { data: null };
    };
    const ran = await runProgram('for (let i = 0; i < 50; i += 1) hands.x({ i }); return 1', {
      call,
      print() {},
      signal: AbortSignal.timeout(60_000),
    });
    expect(ran).toMatchObject({ ok: true, calls: 50 });
    expect([ended, most]).toEqual([50, 16]);
  });

  it('gets no more answers than it takes, and all of them in the end', async () => {
    let begun = 0;
    let begunBefore = 0;
    const call = async (): Promise<Answer> => {
      begun += 1;
      return { data: 'x'.repeat(1_000_000) };
    };
    const code = `const all = Array.from({ length: 64 }, () => hands.x({}).then((text) => text.length));
      for (const end = Date.now() + 1000; Date.now() < end; );
      console.log('awake');
      return (await Promise.all(all)).length`;
    const ran = await runProgram(code, { call, print: () => void (begunBefore = begun), signal: AbortSignal.timeout(60_000) });
    expect(ran).toMatchObject({ ok: true, json: '64', calls: 64 });
    expect(begun).toBe(64);
    // 8 of 1,000,000 characters, and those that were at work meanwhile.
    expect(begunBefore).toBeLessThanOrEqual(24);
  });

  it('cannot fill the memory of all with the inputs of calls that wait', async () => {
    const asked = Promise.withResolvers<void>();
    const call = async (_: string, __: string, input: unknown): Promise<Answer> => {
      await asked.promise;
      return { data: JSON.stringify(input).length };
    };
    const code = `const text = 'x'.repeat(5_000_000);
      const all = Promise.allSettled(Array.from({ length: 8 }, () => hands.x({ text })));
      console.log('asked');
      const said = (await all).map(({ value, reason }) => value ?? reason.message);
      return [...said, await hands.x({ text })]`;
    const ran = await runProgram(code, { call, print: () => asked.resolve(), signal: AbortSignal.timeout(60_000) });
    expect(ran).toMatchObject({ ok: true, calls: 7 });
    const refused = 'The inputs of calls that wait have more than 32000000 characters: await some of them before.';
    expect(ran.ok && JSON.parse(ran.json ?? '')).toEqual([...Array.from({ length: 6 }, () => 5_000_011), refused, refused, 5_000_011]);
  });

  it('is ended, too, if that is asked for while its thread is made', async () => {
    const stop = new AbortController();
    const running = runProgram('while (true);', { call: async () => ({ data: null }), print() {}, signal: stop.signal });
    stop.abort(new Error('at once'));
    await expect(running).rejects.toThrow('at once');
  });

  it('that never ends is ended, and its calls with it', async () => {
    const stop = new AbortController();
    let aborted = false;
    const call = async (_: string, __: string, ___: unknown, signal: AbortSignal): Promise<Answer> => {
      const { promise, reject } = Promise.withResolvers<Answer>();
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(signal.reason);
      });
      setImmediate(() => stop.abort(new Error('enough')));
      return await promise;
    };
    await expect(runProgram('hands.x({}); while (true);', { call, print() {}, signal: stop.signal })).rejects.toThrow('enough');
    expect(aborted).toBe(true);
  });
});

it('ends while calls still come in, whose answers a program has not taken', { timeout: 20_000 }, async () => {
  for (let time = 0; time < 5; time += 1) {
    const stop = new AbortController();
    let calls = 0;
    const call = async (): Promise<Answer> => {
      if ((calls += 1) === 8) stop.abort(new Error('stopped'));
      return await Promise.resolve({ data: 'x'.repeat(1_000_000) });
    };
    const ran = runProgram('for (let i = 0; i < 5_000; i += 1) hands.x({ i })', { call, print: () => {}, signal: stop.signal });
    await expect(ran).rejects.toThrow('stopped');
  }
});
