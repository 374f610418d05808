import { CHANGES_FOLDER, type Effects, type PathEffect } from './effects.ts';
import { MODE_VERDICTS, type Mode } from './modes.ts';

/**
 * How a command runs: `reader` on the workspace mounted read-only · `transaction` on a copy-on-write view whose permitted
 * changes are applied · `live` in the workspace itself, in the sandbox · `unconfined` without a sandbox.
 */
export const COMMAND_WAYS = ['reader', 'transaction', 'live', 'unconfined'] as const;
export type CommandWay = (typeof COMMAND_WAYS)[number];

/** How a command runs, and why. */
export interface CommandRoute {
  readonly way: CommandWay;
  /** The reason, as a clause after "because". */
  readonly reason: string;
  /** A line for the result, if the route may be unexpected. */
  readonly notice?: string;
}

/** The available ways to run commands. */
export interface CommandEnvironment {
  /** `given up`: the user started the hands without a sandbox. `missing`: no sandbox works. */
  readonly sandbox: 'works' | 'given up' | 'missing';
  /** Whether commands can run on a copy of the workspace. */
  readonly transacts: boolean;
  /** Why they cannot, as a clause, if known. */
  readonly noCopies?: string | undefined;
  /** Whether commands have network access. */
  readonly network: boolean;
  /** Whether nothing but a proxy that judges each request leads to other machines. Default: it is not known. */
  readonly filtered?: boolean;
  /** Whether bash runs them. Default: it is not known which shell does, so text that shells read differently is not understood. */
  readonly bash?: boolean;
  /** Whether the project has a program of this name installed, in or above the folder of the command. Default: unknown. */
  readonly hasInstalled?: (name: string, folder: string) => boolean;
}

/** Which commands need approval before they run. */
export type AsksFirst = 'none' | 'changes' | 'all';

/** How a call wants its command to run. */
export interface CommandWish {
  /** Returns why the command must run on the workspace itself; undefined if it can run on a copy. */
  readonly live: (effects: Effects) => string | undefined;
  /**
   * What needs approval before it runs: `all` if the contract of a dialect requires it, `changes` if a question cannot be
   * asked during a call, `none` if the user is asked about the changes afterwards.
   */
  readonly asksFirst: AsksFirst;
}

/** The only device that any command may write to. */
const SINK = '/dev/null';

const writesFiles = (effects: readonly PathEffect[]): boolean => effects.some(({ path }) => path !== SINK);

/** Reasons for doubt that matter only for writing. */
const HARMLESS_TO_READERS: ReadonlySet<string> = new Set([CHANGES_FOLDER, 'a path goes up again after going down']);

/** Whether a command only reads, according to its text. */
export function readsOnly({ execs, writes, deletes, net, unknown }: Effects): boolean {
  if (execs.length === 0 || net.length > 0 || writesFiles(writes) || deletes.length > 0) return false;
  return execs.every(({ onlyReads }) => onlyReads) && unknown.every((reason) => HARMLESS_TO_READERS.has(reason));
}

const GIVEN_UP = 'the hands were started with --sandbox none';
const notSandboxed = (why: string): string => `It was not sandboxed, because ${why}.`;
const NO_SANDBOX = 'no sandbox works here';
const NO_COPIES = 'commands cannot run on a copy of it here';
const inPlace = (reason: string): string => `It ran in the workspace itself, because ${reason}. Undo does not cover what it changed.`;

/** Returns the route of a command, from its effects, the wishes of its call and the available routes. Pure. */
export function commandRoute(
  effects: Effects,
  { live }: Pick<CommandWish, 'live'>,
  { sandbox, transacts, noCopies }: CommandEnvironment,
): CommandRoute {
  if (sandbox === 'given up') return { way: 'unconfined', reason: GIVEN_UP, notice: notSandboxed(GIVEN_UP) };
  if (sandbox === 'missing')
    return { way: 'unconfined', reason: NO_SANDBOX, notice: `${notSandboxed(NO_SANDBOX)} What it changed cannot be undone.` };
  const wanted = live(effects);
  if (wanted !== undefined) return { way: 'live', reason: wanted, notice: inPlace(wanted) };
  if (readsOnly(effects)) return { way: 'reader', reason: 'it only reads' };
  if (!transacts) {
    const reason = noCopies === undefined ? NO_COPIES : `${NO_COPIES} (${noCopies})`;
    return { way: 'live', reason, notice: inPlace(reason) };
  }
  return { way: 'transaction', reason: 'it may change files' };
}

/** Whether undo takes back all that a command changes in the workspace. */
export const coveredByUndo = (route: CommandRoute | undefined): boolean => route?.way === 'transaction' || route?.way === 'reader';

/** Whether a command that was allowed as a reader, but then writes, may run again on a copy. @param deferred whether it is asked about afterwards */
export function mayChange(mode: Mode, { transacts, network }: CommandEnvironment, deferred: boolean): boolean {
  return transacts && MODE_VERDICTS[mode].exec !== 'deny' && !(deferred && network);
}

/** Returns the less confined of two routes, which is the route of a call with both commands. */
export function widerRoute(left: CommandRoute | undefined, right: CommandRoute): CommandRoute {
  return left === undefined || COMMAND_WAYS.indexOf(right.way) > COMMAND_WAYS.indexOf(left.way) ? right : left;
}
