import { CALL_OPTION_TYPES } from '../call/call-option-types.ts';
import { MODES } from '../policy/modes.ts';
import type { AnyTool } from '../tool/tool.ts';
import { amount, anything, assertGiven, callback, type Check, either, fields, flag, listOf, maybeFields } from './assert-given.ts';
import { oneOf, optional, positive, satisfying, signal, text, whole } from './assert-given.ts';
import type { Branch, Hands } from './hands.ts';

/** What a method may be given: each argument by its name, in order. */
type Arguments = Readonly<Record<string, Check>>;

interface CheckedMethod {
  readonly given: Arguments;
  /** Whether it answers at once, so that it throws where the others reject. */
  readonly isSync?: true;
}

/** Check what they are given themselves: `call` never rejects, and servers use `tools` with each call. */
type Checking = 'call' | 'tools';

/** The methods of an object that are checked here. */
type Methods<T> = Exclude<{ [Name in keyof T]: T[Name] extends (...given: never[]) => unknown ? Name : never }[keyof T], Checking | symbol>;

const waiting = maybeFields({ signal: optional(signal) });
/** The names of the options of a call: what they are is checked with the call. */
const call = Object.fromEntries(Object.keys(CALL_OPTION_TYPES).map((name) => [name, anything]));
const part = {
  paths: optional(listOf(text)),
  hunks: optional(listOf(fields({ path: text, take: listOf(positive), seen: optional(listOf(text)) }))),
};
const applied = maybeFields({ ...call, ...part, fingerprint: optional(text) });
const one = { call: optional(text), session: optional(text) };
const selection = maybeFields({ ...one, last: optional(positive) });
const callOptions = maybeFields(call);
const choice = either(
  '"branch", "workspace", { content: bytes } or { places: [...] }',
  oneOf(['branch', 'workspace']),
  fields({ content: satisfying('bytes', (value) => value instanceof Uint8Array) }),
  fields({ places: either('sides', text, listOf(text)) }),
);

const OF_HANDS: { readonly [Name in Methods<Hands>]: CheckedMethod } = {
  undo: { given: { selection, options: callOptions } },
  planUndo: { given: { selection } },
  changes: {
    given: {
      selection: maybeFields(one),
      options: maybeFields({ diffs: optional(either('true, false or a number', flag, whole)), signal: optional(signal) }),
    },
  },
  pendingChanges: { given: {}, isSync: true },
  showPending: { given: { handle: text, options: waiting } },
  applyPending: { given: { handle: text, options: callOptions } },
  dropPending: { given: { handle: text } },
  branches: { given: {}, isSync: true },
  createBranch: { given: { name: text, options: maybeFields({ from: optional(text), at: optional(text), signal: optional(signal) }) } },
  showBranch: { given: { name: text, options: maybeFields({ ...part, signal: optional(signal) }) } },
  compareBranches: { given: { name: text, other: text, options: waiting } },
  applyBranch: { given: { name: text, options: applied } },
  showConflict: { given: { name: text, path: text, options: waiting } },
  resolveBranch: { given: { name: text, path: text, choice, options: callOptions } },
  repairBranches: { given: {} },
  dropBranch: { given: { name: text, options: maybeFields({ changes: optional(whole) }) } },
  explain: { given: { name: text } },
  constraints: { given: { options: maybeFields({ canAsk: optional(flag) }) }, isSync: true },
  policy: { given: {}, isSync: true },
  limitMode: { given: { mode: oneOf(MODES) }, isSync: true },
  revoke: { given: { which: either('the number or the rule of an approval', whole, text) }, isSync: true },
  dialect: { given: { name: text }, isSync: true },
  branch: {
    given: {
      name: text,
      options: maybeFields({ from: optional(text), create: optional(flag), copiesAtMost: maybeFields({ entries: amount, bytes: amount }) }),
    },
  },
  receipts: { given: {} },
  subscribe: { given: { listener: callback }, isSync: true },
  warmUp: { given: { options: maybeFields({ programs: optional(flag) }) }, isSync: true },
  endSession: { given: { sessionId: text } },
  sweepHandedOver: { given: {} },
  onToolsChanged: { given: { listener: callback }, isSync: true },
};

const OF_BRANCHES: { readonly [Name in Exclude<Methods<Branch>, Methods<Hands>>]: CheckedMethod } = {
  show: { given: { options: waiting } },
  apply: { given: { options: applied } },
  drop: { given: {} },
};

type Method = (...given: readonly unknown[]) => unknown;

/** A copy of an object whose methods check what they are given. */
function checked<T extends object>(target: T, where: string, methods: Readonly<Record<string, CheckedMethod>>): T {
  const wrapped = Object.entries(methods).map(([name, { given, isSync }]): [string, Method] => {
    const method = Reflect.get(target, name) as Method;
    const check = (values: readonly unknown[]): void => {
      for (const [index, [argument, ofArgument]] of Object.entries(given).entries())
        assertGiven(`${where}.${name}`, argument, ofArgument, values[index]);
    };
    const run: Method = (...values) => {
      check(values);
      return method(...values);
    };
    return [name, isSync === true ? run : async (...values) => await run(...values)];
  });
  return Object.assign({ ...target }, Object.fromEntries(wrapped));
}

/**
 * Hands for programs that may have no types: a misspelled option is refused, instead of left out. `applyBranch('x', { path: ['a'] })` would apply
 * all of the branch.
 */
export function checkedHands<Tool extends AnyTool>(hands: Hands<Tool>): Hands<Tool> {
  const branch: Hands<Tool>['branch'] = async (...given) => checkedBranch(await hands.branch(...given));
  return checked({ ...hands, branch }, 'hands', OF_HANDS);
}

function checkedBranch<Tool extends AnyTool>(opened: Branch<Tool>): Branch<Tool> {
  const branch: Branch<Tool>['branch'] = async (...given) => checkedBranch(await opened.branch(...given));
  return checked({ ...opened, branch }, 'branch', { ...OF_HANDS, ...OF_BRANCHES });
}
