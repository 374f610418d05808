import * as z from 'zod';
import { CALL_OPTION_TYPES } from '../call/call-option-types.ts';
import { MODES } from '../policy/modes.ts';
import type { AnyTool } from '../tool/tool.ts';
import { assertGiven } from './assert-given.ts';
import type { Branch, Hands } from './hands.ts';

/** What a method may be given: each argument by its name, in order. */
type Arguments = Readonly<Record<string, z.ZodType>>;

interface CheckedMethod {
  readonly given: Arguments;
  /** Whether it answers at once, so that it throws where the others reject. */
  readonly isSync?: true;
}

/** Check what they are given themselves: `call` never rejects, and servers use `tools` with each call. */
type Checking = 'call' | 'tools';

/** The methods of an object that are checked here. */
type Methods<T> = Exclude<{ [Name in keyof T]: T[Name] extends (...given: never[]) => unknown ? Name : never }[keyof T], Checking | symbol>;

const text = z.string();
const signal = z.instanceof(AbortSignal).optional();
const waiting = z.strictObject({ signal }).optional();
const callback = z.custom((value) => typeof value === 'function', 'expected a function');
/** The names of the options of a call: what they are is checked with the call. */
const call = Object.fromEntries(Object.keys(CALL_OPTION_TYPES).map((name) => [name, z.unknown().optional()]));
const hunk = z.strictObject({ path: text, take: z.array(z.int().min(1)).min(1), seen: z.array(text).optional() });
const part = { paths: z.array(text).optional(), hunks: z.array(hunk).optional() };
const applied = z.strictObject({ ...call, ...part, fingerprint: text.optional() }).optional();
const one = { call: text.optional(), session: text.optional() };
const selection = z.strictObject({ ...one, last: z.int().min(1).optional() }).optional();
const amount = z.int().min(0);
const callOptions = z.strictObject(call).optional();

const OF_HANDS: { readonly [Name in Methods<Hands>]: CheckedMethod } = {
  undo: { given: { selection, options: callOptions } },
  planUndo: { given: { selection } },
  changes: {
    given: {
      selection: z.strictObject(one).optional(),
      options: z.strictObject({ diffs: z.union([z.boolean(), amount], 'expected a boolean or a number').optional(), signal }).optional(),
    },
  },
  pendingChanges: { given: {}, isSync: true },
  showPending: { given: { handle: text, options: waiting } },
  applyPending: { given: { handle: text, options: callOptions } },
  dropPending: { given: { handle: text } },
  branches: { given: {}, isSync: true },
  createBranch: { given: { name: text, options: z.strictObject({ from: text.optional(), at: text.optional(), signal }).optional() } },
  showBranch: { given: { name: text, options: z.strictObject({ ...part, signal }).optional() } },
  compareBranches: { given: { name: text, other: text, options: waiting } },
  applyBranch: { given: { name: text, options: applied } },
  showConflict: { given: { name: text, path: text, options: waiting } },
  resolveBranch: {
    given: {
      name: text,
      path: text,
      choice: z.union(
        [
          z.enum(['branch', 'workspace']),
          z.strictObject({ content: z.instanceof(Uint8Array) }),
          z.strictObject({ places: z.union([text, z.array(text)]) }),
        ],
        'expected "branch", "workspace", { content: bytes } or { places: [...] }',
      ),
      options: callOptions,
    },
  },
  repairBranches: { given: {} },
  dropBranch: { given: { name: text, options: z.strictObject({ changes: amount.optional() }).optional() } },
  explain: { given: { name: text } },
  constraints: { given: { options: z.strictObject({ canAsk: z.boolean().optional() }).optional() }, isSync: true },
  policy: { given: {}, isSync: true },
  limitMode: { given: { mode: z.enum(MODES) }, isSync: true },
  revoke: { given: { which: z.union([z.int(), text], 'expected the number or the rule of an approval') }, isSync: true },
  dialect: { given: { name: text }, isSync: true },
  branch: {
    given: {
      name: text,
      options: z
        .strictObject({
          from: text.optional(),
          create: z.boolean().optional(),
          copiesAtMost: z.strictObject({ entries: amount, bytes: amount }).optional(),
        })
        .optional(),
    },
  },
  receipts: { given: {} },
  subscribe: { given: { listener: callback }, isSync: true },
  warmUp: { given: { options: z.strictObject({ programs: z.boolean().optional() }).optional() }, isSync: true },
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
      for (const [index, [argument, schema]] of Object.entries(given).entries()) assertGiven(`${where}.${name}`, argument, schema, values[index]);
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
