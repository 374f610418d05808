import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

/** What a program of Node finds, or a page, or a thread: nothing of it may be found here. */
const POWERS = [
  'process', 'require', 'module', 'exports', 'global', 'Buffer', 'fetch', 'WebAssembly', 'setTimeout', 'setImmediate', 'queueMicrotask', 'Worker',
  'parentPort', 'workerData', 'postMessage', 'importScripts', 'XMLHttpRequest', 'WebSocket', 'Deno', 'Bun', 'std', 'os', 'bjson', 'navigator',
  'performance', 'structuredClone', 'print', 'load', 'read', 'quit', 'gc', 'scriptArgs', '__loadScript', '__dirname', '__filename',
]; // prettier-ignore

/** Ways to a name that a check of the text of a program would not see. */
const ROUTES: Record<string, (name: string) => string> = {
  plain: (name) => `typeof ${name} !== 'undefined' && ${name}`,
  'a property': (name) => `globalThis['${name}']`,
  Function: (name) => `Function('return typeof ${name} !== "undefined" && ${name}')()`,
  'the constructor of a function': (name) => `(() => {}).constructor('return this["${name}"]')()`,
  'the constructor of an async function': (name) => `(async () => {}).constructor('return globalThis["${name}"]')().then((value) => value)`,
  'the constructor of a generator': (name) => `(function* () {}).constructor('yield globalThis["${name}"]')().next().value`,
  'an indirect eval': (name) => `(0, eval)('globalThis["${name}"]')`,
  Reflect: (name) => `Reflect.construct(Function, ['return this["${name}"]']).call(undefined)`,
  'a function of hands': (name) => `hands.call.constructor('return globalThis["${name}"]')()`,
  'the promise of a call': (name) => `hands.x({}).constructor.constructor('return globalThis["${name}"]')()`,
  'an answer': (name) => `hands.x({}).then((data) => data.constructor.constructor('return globalThis["${name}"]')())`,
  'an error': (name) => `hands.fail().catch((error) => error.constructor.constructor('return globalThis["${name}"]')())`,
};

/** Attempts that are no name, each true if it reached something. */
const OTHERS = [
  `import('node:fs').then(() => true, () => false)`,
  `import('file:///etc/passwd').then(() => true, () => false)`,
  `import('data:text/javascript,export default 1').then(() => true, () => false)`,
  `(() => { let frames; Error.prepareStackTrace = (_, found) => { frames = found; return ''; }; void new Error().stack; return Array.isArray(frames) && typeof frames[0]?.getThis === 'function'; })()`,
  `(() => { try { null.x; } catch (error) { return /node:internal|\\/(?:usr|home|root|tmp)\\//u.test(error.stack); } })()`,
  `hands.fail().then(() => false, (error) => /node:internal|file:\\/\\//u.test(error.stack))`,
  `(() => { let seen = false; hands.x({ get path() { seen = typeof process !== 'undefined'; return 'a'; } }); return seen; })()`,
  `(() => { let seen = false; hands.x({ toJSON() { seen = typeof process !== 'undefined'; return {}; } }); return seen; })()`,
  `(() => { let seen = false; hands.x(new Proxy({}, { get() { seen = typeof process !== 'undefined'; }, ownKeys: () => [] })); return seen; })()`,
  `(() => { const caller = (function f() { return f.caller; })(); return typeof caller === 'function'; })()`,
  `(() => { try { return arguments.callee.caller !== undefined && arguments.callee.caller !== null; } catch { return false; } })()`,
  `hands.__proto__.constructor('return typeof process !== "undefined"')()`,
  `hands.x({ ['__proto__']: { polluted: true } }).then((data) => ({}).polluted === true)`,
  `hands.x(JSON.parse('{"__proto__":{"polluted":true}}')).then((data) => ({}).polluted === true)`,
  `typeof SharedArrayBuffer !== 'undefined' && typeof Atomics !== 'undefined' && (() => { try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); return true; } catch { return false; } })()`,
];

const attempts = [...POWERS.flatMap((name) => Object.values(ROUTES).map((route) => route(name))), ...OTHERS];

/** The program that makes all attempts, and returns those that reached something. */
const program = `
  const reached = [];
  for (const attempt of ${JSON.stringify(attempts)}) {
    try {
      const value = await (0, eval)(attempt);
      if (value !== undefined && value !== false && value !== null) reached.push(attempt);
    } catch {}
  }
  return reached;`;

describe('a program', { timeout: 120_000 }, () => {
  it(`reaches nothing but its tools, in ${attempts.length} attempts`, async () => {
    const names: string[] = [];
    const ran = await runProgram(program, {
      print() {},
      signal: AbortSignal.timeout(100_000),
      async call(_, name) {
        names.push(name);
        return name === 'fail' ? { error: { code: 'internal', message: 'no' } } : { data: {} };
      },
    });
    expect(attempts.length).toBeGreaterThan(400);
    expect(ran).toMatchObject({ ok: true, json: '[]' });
    // The calls were made: the attempts were.
    expect(names.filter((name) => name === 'x').length).toBeGreaterThan(POWERS.length);
  });

  it('would reach much in Node itself: the attempts are able to', async () => {
    const found = ['process', 'fetch', 'Buffer', 'setTimeout', 'WebAssembly'].flatMap((name) =>
      ['a property', 'Function', 'the constructor of a function', 'an indirect eval', 'Reflect'].filter((route) => {
        const value: unknown = runInThisContext(ROUTES[route]?.(name) ?? '');
        return value === undefined || value === false;
      }),
    );
    expect(found).toEqual([]);
  });

  it('changes nothing of this process by what it gives a tool', async () => {
    const inputs: unknown[] = [];
    const ran = await runProgram(`await hands.x(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));`, {
      print() {},
      signal: AbortSignal.timeout(60_000),
      async call(_, __, input) {
        inputs.push(input);
        return { data: null };
      },
    });
    expect(ran.ok).toBe(true);
    expect(Object.hasOwn(Object(inputs[0]), '__proto__')).toBe(true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
