import { existsSync } from 'node:fs';

import { findCalls } from '../audit/call-lines.ts';
import type { AuditedCall } from '../audit/query-audit.ts';
import type { JournalEntry } from '../journal/journal-database.ts';
import { once } from '../events/timing.ts';
import type { Writer } from './follow-lines.ts';

/** A line with who wrote it. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly by: Writer['by'];
  readonly tool?: string;
  readonly call?: string;
  readonly session?: string;
  /** The step of the protocol, and the mode of the brain. */
  readonly step?: string;
  readonly mode?: string;
  /** Who approved it, and the answer. */
  readonly approver?: string;
  readonly answer?: string;
  /** ISO 8601. */
  readonly time?: string;
  /** The branch in which the call wrote it. */
  readonly branch?: string;
  /** The call that brought it to the workspace, if that is another one: of the program, or the one that applied the branch. */
  readonly applied?: string;
  /** Commands in the workspace itself that may have written it while they ran, or else a person or another program did. At most five. */
  readonly perhaps?: ReadonlyArray<{ readonly tool: string; readonly call: string; readonly session?: string }>;
  /** The writer of the line, if the call only formatted it. */
  readonly formatted?: Omit<BlamedLine, 'line' | 'text' | 'formatted'>;
}

export type Facts = Omit<BlamedLine, 'line' | 'text' | 'formatted'>;

/** Finds calls in a log. */
export type FindCall = (call: string) => AuditedCall | undefined;

/** Finds calls in the log of a folder, which is read once. @param wanted the calls that may be asked for */
export function callFinder(folder: string, wanted: ReadonlySet<string>): FindCall {
  const read = once((): FindCall => (existsSync(folder) ? findCalls(folder, wanted) : () => undefined));
  return (call) => (wanted.has(call) ? read()(call) : undefined);
}

/** What tells of writers. */
export interface FactSources {
  readonly entries: ReadonlyMap<number, JournalEntry>;
  readonly find: FindCall;
  /** Finds a call of a program, or in the branch that an entry applied. */
  readonly findNested: (entry: number, call: string) => AuditedCall | undefined;
  /** The name of the branch that an entry applied. */
  readonly branchOf: (entry: number) => string | undefined;
  /** The call of a program that made an entry by itself. */
  readonly liveCall: (entry: JournalEntry, outer: AuditedCall | undefined) => AuditedCall | undefined;
}

function recorded(audited: AuditedCall | undefined): Partial<Facts> {
  const { start, end } = audited ?? {};
  return {
    ...(start?.step === undefined ? {} : { step: start.step }),
    ...(start?.mode === undefined ? {} : { mode: start.mode }),
    ...(end?.approver === undefined ? {} : { approver: end.approver }),
    ...(end?.answer === undefined ? {} : { answer: end.answer }),
  };
}

/** Who a writer is. */
export function factsOf(writer: Writer, { entries, find, findNested, branchOf, liveCall }: FactSources): Facts {
  if (writer.by !== 'hands') return { by: writer.by };
  const entry = entries.get(writer.entry);
  if (entry === undefined) return { by: 'hands' };
  const { nested } = writer;
  if (nested === undefined) {
    const outer = find(entry.call);
    const live = liveCall(entry, outer);
    return {
      by: 'hands',
      tool: entry.tool,
      call: live?.call ?? entry.call,
      ...(entry.session === null ? {} : { session: entry.session }),
      ...recorded(live ?? outer),
      time: new Date(entry.time).toISOString(),
      ...(live === undefined ? {} : { applied: entry.call }),
    };
  }
  const branch = branchOf(writer.entry);
  const { call, tool, session, time } = nested;
  return {
    by: 'hands',
    tool,
    call,
    ...(session === undefined ? {} : { session }),
    ...recorded(findNested(writer.entry, call)),
    time: new Date(time).toISOString(),
    ...(branch === undefined ? {} : { branch }),
    applied: entry.call,
  };
}
