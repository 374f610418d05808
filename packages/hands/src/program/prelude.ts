/**
 * What a program finds in its interpreter, as the source of a function that gets the two ways out: `call` and `print`. It runs inside,
 * so a program may change all of it; only texts pass.
 */
export const PRELUDE = String.raw`((call, print) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { then } = Promise.prototype;
  class ToolError extends Error {
    constructor({ code, message, hint }) {
      super(hint === undefined ? message : message + '\n' + hint);
      this.name = 'ToolError';
      this.code = code;
    }
  }
  // Many write r.exitCode for r.exit_code. Undefined would pass for 0.
  const snake = (name) => name.replace(/[A-Z]/gu, (letter) => '_' + letter.toLowerCase());
  const otherSpelling = new Proxy(Object.create(Object.prototype), {
    get: (target, key, receiver) => {
      const other = typeof key === 'string' ? snake(key) : key;
      return other !== key && Object.hasOwn(receiver, other) ? receiver[other] : Reflect.get(target, key, receiver);
    },
  });
  const readable = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value) && Object.keys(value).some((key) => key.includes('_'))) Object.setPrototypeOf(value, otherSpelling);
    for (const inner of Object.values(value)) readable(inner);
    return value;
  };
  const ask = async (asked, name, input) => {
    // Where it was called: after the answer, the stack begins here.
    const { stack } = new Error();
    const answer = parse(await call(asked, stringify(String(name)), stringify(input === undefined ? {} : input) ?? 'null'));
    if (answer.error !== undefined) throw Object.assign(new ToolError(answer.error), { stack });
    return readable(answer.data);
  };
  // What a program reads of a call that it did not wait for would be undefined.
  const unawaited = (name) => 'hands.' + name + '(…) is a promise: write await before it';
  // Failed calls of which the program never looked at the promise.
  const left = new Map();
  const awaitable = (name, promise) => {
    let isSeen = false;
    then.call(promise, undefined, (error) => void (isSeen || left.set(promise, error)));
    const target = Object.create(Promise.prototype, { then: { value: (...handlers) => awaitable(name, then.apply(promise, handlers)) } });
    return Object.setPrototypeOf(promise, new Proxy(target, {
      get: (_, key, receiver) => {
        // In a text, it would be "[object Promise]".
        if (key === Symbol.toPrimitive) throw new TypeError(unawaited(name));
        if (typeof key === 'symbol' || key === 'toJSON') return Reflect.get(target, key, receiver);
        if (!(key in target)) throw new TypeError(unawaited(name));
        isSeen = true;
        left.delete(promise);
        return Reflect.get(target, key, receiver);
      },
    }));
  };
  const own = {
    __proto__: null,
    call: (name, input) => awaitable('call', ask('tool', name, input)),
    help: (name) => awaitable('help', ask('help', name ?? '', {})),
  };
  // Such as hands.mcp.server.tool: without this, the error would say "not a function", or there would be none.
  const tool = (name) => new Proxy((input) => awaitable(name, ask('tool', name, input)), {
    get: (target, key, receiver) => {
      if (typeof key === 'symbol' || key === 'toJSON' || key in target) return Reflect.get(target, key, receiver);
      throw new TypeError('hands.' + name + ' is a function and has no ' + key + '. A tool of an MCP server: hands.call("mcp:SERVER:TOOL", input)');
    },
  });
  const PROMISE = '[a promise: write await before the call]';
  const inspect = (value, depth, seen) => {
    if (typeof value === 'string') return depth === 0 ? value : stringify(value);
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'function') return '[function ' + value.name + ']';
    if (typeof value !== 'object' || value === null) return String(value);
    if (value instanceof Promise) return PROMISE;
    if (value instanceof Error) return value.name + ': ' + value.message;
    if (seen.includes(value)) return '[circular]';
    if (depth > 6) return Array.isArray(value) ? '[…]' : '{…}';
    const inner = (one) => inspect(one, depth + 1, [...seen, value]);
    if (value instanceof Map) return 'Map ' + inner([...value]);
    if (value instanceof Set) return 'Set ' + inner([...value]);
    if (value instanceof Date || value instanceof RegExp) return String(value);
    if (Array.isArray(value)) return '[' + value.map(inner).join(', ') + ']';
    const entries = Object.keys(value).map((key) => (/^[\w$]+$/u.test(key) ? key : stringify(key)) + ': ' + inner(value[key]));
    return entries.length === 0 ? '{}' : '{ ' + entries.join(', ') + ' }';
  };
  const log = (...values) => print(stringify(values.map((value) => inspect(value, 0, [])).join(' ')));
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const quiet = () => {};
  const assert = (holds, ...values) => void (holds || log('Assertion failed', ...values));
  define('console', {
    ...{ log, info: log, debug: log, warn: log, error: log, table: log, dir: log, trace: log, group: log, assert },
    ...{ groupEnd: quiet, time: quiet, timeEnd: quiet, clear: quiet },
  });
  define('ToolError', ToolError);
  // Not a thenable: it may be awaited by mistake.
  define('hands', new Proxy(own, {
    get: (_, name) => (typeof name !== 'string' || name === 'then' ? undefined : (own[name] ?? tool(name))),
  }));
  const data = (_, value) => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Promise) return PROMISE;
    if (value instanceof Map) return Object.fromEntries(value);
    if (value instanceof Set) return [...value];
    // As of Promise.allSettled: what an error says is no property of its own that JSON has.
    if (value instanceof Error) return { name: value.name, message: value.message, ...value };
    return value;
  };
  return (value) => {
    for (const error of left.values()) {
      if (error instanceof Error) error.message += '\nThe program did not wait for this call: write await before it.';
      throw error;
    }
    try {
      return stringify(value, data);
    } catch {
      return stringify(inspect(value, 0, []));
    }
  };
})`;
