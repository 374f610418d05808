// A separate program: the hands of a branch. It is started in the namespaces of the branch, where the workspace is the branch, and
// answers the process that opened it. It ends with that process.
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { CallOptions } from '../call/call.ts';
import type { CallSettings } from '../branch-hands/call-settings.ts';
import { shownBelow } from '../branch/branch-state.ts';
import { FarApprovers } from '../branch-hands/far-approver.ts';
import { FarTools } from '../branch-hands/far-tools.ts';
import { Link, type Answering, type Handlers } from '../branch-hands/link.ts';
import { AT_OWNER, IN_BRANCH } from '../branch-hands/methods.ts';
import { processPort } from '../branch-hands/ports.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Hands } from './hands.ts';
import type { HandsOptions } from './hands-options.ts';

/** Checked where they are used: they come from this program itself. */
const Options = z.custom<Omit<HandsOptions, 'tools'>>((value) => typeof value === 'object' && value !== null);

const opening = Promise.withResolvers<Hands<AnyTool>>();
// Each request reports it.
opening.promise.catch(() => {});
const approvers = new FarApprovers(() => link);
const tools = new FarTools(() => link);

type Meanwhile = { readonly progress?: Parameters<NonNullable<CallOptions['onProgress']>>[0]; readonly output?: string };

/** The options of a call, with the functions that reach the caller. */
function optionsOf(settings: CallSettings, { signal, tell }: Answering<Meanwhile>): CallOptions {
  const { options, watches, hears } = settings;
  const approver = approvers.of(settings);
  return {
    ...options,
    signal,
    ...(approver === undefined ? {} : { approver }),
    ...(watches ? { onProgress: (progress) => tell({ progress }) } : {}),
    ...(hears ? { onOutput: (output) => tell({ output }) } : {}),
  };
}

const handlers: Handlers<typeof IN_BRANCH> = {
  async open({ options, tools: facts, mode }) {
    try {
      const given = Options.parse(options);
      // Beside it, every path leads to the workspace itself.
      if (given.stateFolder === undefined || shownBelow(given.stateFolder) === undefined) throw new Error('This process is not in the branch.');
      const { createHands } = await import('./create-hands.ts');
      const hands = await createHands({ ...given, tools: facts.map((one) => tools.tool(one)) });
      hands.limitMode(mode);
      opening.resolve(hands);
    } catch (error) {
      opening.reject(error);
      throw error;
    }
    return null;
  },
  async call({ name, input, settings, tool }, use) {
    const hands = await opening.promise;
    return await tools.within(settings.key, tool, async () => await hands.call(name, input, optionsOf(settings, use)));
  },
  async dialect({ dialect, name, input, settings }, use) {
    return await (await opening.promise).dialect(dialect).call(name, input, optionsOf(settings, use));
  },
  async explain({ name, input, tool }) {
    const hands = await opening.promise;
    return await tools.within(0, tool, async () => await hands.explain(name, input));
  },
  async undo({ selection, settings }, use) {
    return await (await opening.promise).undo(selection, optionsOf(settings, use));
  },
  async receipts() {
    return [...(await (await opening.promise).receipts())];
  },
  async planUndo({ selection }) {
    return await (await opening.promise).planUndo(selection);
  },
  async changes({ selection, diffs }, { signal }) {
    return await (await opening.promise).changes(selection, { signal, ...(diffs === undefined ? {} : { diffs }) });
  },
  async showPending({ handle }, { signal }) {
    return await (await opening.promise).showPending(handle, { signal });
  },
  async applyPending({ handle, settings }, use) {
    return await (await opening.promise).applyPending(handle, optionsOf(settings, use));
  },
  async dropPending({ handle }) {
    return await (await opening.promise).dropPending(handle);
  },
  async endSession({ sessionId }) {
    return await (await opening.promise).endSession(sessionId);
  },
  async sweepHandedOver() {
    return await (await opening.promise).sweepHandedOver();
  },
  async warmUp({ programs }) {
    (await opening.promise).warmUp({ programs });
    return null;
  },
  async limitMode({ mode }) {
    (await opening.promise).limitMode(mode);
    return null;
  },
  async revoke({ rules }) {
    const hands = await opening.promise;
    const { grants } = hands.policy();
    const at = grants.findIndex((grant) => grant.scope === 'session' && grant.rules.join('\n') === rules.join('\n'));
    if (at !== -1) hands.revoke(at + 1);
    return null;
  },
  async events(_, { signal, tell }) {
    const hands = await opening.promise;
    const stop = hands.subscribe(tell);
    const { promise, resolve } = Promise.withResolvers<null>();
    signal.addEventListener('abort', () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
    await promise;
    stop();
    return null;
  },
  async tryOut({ question }, { signal }) {
    return await approvers.tryOut(question, signal);
  },
};

const link: Link<typeof IN_BRANCH, typeof AT_OWNER> = new Link(processPort(process), IN_BRANCH, handlers, AT_OWNER);

process.once('disconnect', () => {
  // No answer comes any more: what waits for one would keep its call, and so this process.
  link.end(new SynapseError('cancelled', 'The process that opened the branch has ended.'));
  const close = async (): Promise<void> => {
    try {
      await (await opening.promise)[Symbol.asyncDispose]();
    } finally {
      process.exit(0);
    }
  };
  void close();
});
