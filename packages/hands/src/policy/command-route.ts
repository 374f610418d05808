import type { Effects, PathEffect } from './effects.ts';

/**
 * Which way a command runs: `reader` on the workspace mounted read-only · `transaction` on a copy-on-write view, of which
 * what passes is applied · `live` in the workspace itself, in the sandbox · `unconfined` without a sandbox.
 */
export const COMMAND_WAYS = ['reader', 'transaction', 'live', 'unconfined'] as const;
export type CommandWay = (typeof COMMAND_WAYS)[number];

/** Which way a command runs, and why that one. */
export interface CommandRoute {
  readonly way: CommandWay;
  /** As it goes on after "because". */
  readonly reason: string;
  /** A line for the result, where its reader could not expect this way. */
  readonly notice?: string;
}

/** What is there for commands to run in. */
export interface CommandGround {
  /** `given up`: a person started the hands without one. `missing`: none works. */
  readonly sandbox: 'works' | 'given up' | 'missing';
  /** Whether commands can run on a copy of the workspace. */
  readonly transacts: boolean;
  /** Whether commands reach a network. */
  readonly network: boolean;
}

/** Which commands are asked about before they run. */
export type AsksFirst = 'none' | 'changes' | 'all';

/** What one call says about how its command is to run. */
export interface CommandWish {
  /** Why a command has to work on the workspace itself while it runs; undefined where it does not. */
  readonly live: (effects: Effects) => string | undefined;
  /**
   * What is asked about before it runs: `all` as the contract of a dialect demands, `changes` where a question cannot wait
   * in the middle of a call, `none` where a person is asked about what a command changed.
   */
  readonly asksFirst: AsksFirst;
}

/** The one device that commands write to without a thought. */
const SINK = '/dev/null';

const writesFiles = (effects: readonly PathEffect[]): boolean => effects.some(({ path }) => path !== SINK);

/** Reasons for doubt that matter only to what is written. */
const HARMLESS_TO_READERS: ReadonlySet<string> = new Set(['cd changes what the paths after it mean', 'a path goes up again after going down']);

/** Whether a command does nothing but read, as far as its text tells. */
export function readsOnly({ execs, writes, deletes, net, unknown }: Effects): boolean {
  if (execs.length === 0 || net.length > 0 || writesFiles(writes) || deletes.length > 0) return false;
  return execs.every(({ onlyReads }) => onlyReads) && unknown.every((reason) => HARMLESS_TO_READERS.has(reason));
}

const GIVEN_UP = 'the hands were started with --sandbox none';
const notSandboxed = (why: string): string => `It was not sandboxed, because ${why}.`;
const NO_SANDBOX = 'no sandbox works here';
const NO_COPIES = 'commands cannot run on a copy of the workspace here';
const inPlace = (reason: string): string => `It ran in the workspace itself, because ${reason}. Undo does not cover what it changed.`;

/** Which way a command runs, by what it does, what its call says and what there is. Pure. */
export function commandRoute(effects: Effects, { live }: Pick<CommandWish, 'live'>, { sandbox, transacts }: CommandGround): CommandRoute {
  if (sandbox === 'given up') return { way: 'unconfined', reason: GIVEN_UP, notice: notSandboxed(GIVEN_UP) };
  if (sandbox === 'missing')
    return { way: 'unconfined', reason: NO_SANDBOX, notice: `${notSandboxed(NO_SANDBOX)} What it changed cannot be undone.` };
  const wanted = live(effects);
  if (wanted !== undefined) return { way: 'live', reason: wanted, notice: inPlace(wanted) };
  if (readsOnly(effects)) return { way: 'reader', reason: 'it only reads' };
  if (!transacts) return { way: 'live', reason: NO_COPIES, notice: inPlace(NO_COPIES) };
  return { way: 'transaction', reason: 'it may change files' };
}

/** Of several commands of one call, the way that confines the least counts for all. */
export function widestRoute(routes: readonly CommandRoute[]): CommandRoute | undefined {
  return routes.reduce<CommandRoute | undefined>(
    (widest, route) => (widest === undefined || COMMAND_WAYS.indexOf(route.way) > COMMAND_WAYS.indexOf(widest.way) ? route : widest),
    undefined,
  );
}
