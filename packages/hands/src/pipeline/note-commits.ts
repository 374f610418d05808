import type { CallOptions, CheckedCall } from '../call/call.ts';
import type { Approver } from '../approval/approver.ts';
import { canonicalJson } from '../receipt/canonical-json.ts';
import { noteCommands, noteLine } from '../receipt/note-commands.ts';
import { notesLeadElsewhere } from '../receipt/notes-ref.ts';
import { Receipts } from '../receipt/receipts.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isSynapseError, type CallResult } from '@synapse/protocol';
import * as z from 'zod';
import { nestedOptions } from './nested-options.ts';

/** Where git keeps what HEAD was: one line for each move of it. */
const REFLOG = '.git/logs/HEAD';
/** Maximum bytes of that file that are read. */
const MAX_REFLOG_BYTES = 16 * 1024 * 1024;
/** A move of HEAD to a commit that git made then: a checkout, a reset or a pull that only moves it is none. */
const MADE =
  /^[\da-f]+ (?<commit>[\da-f]{40,64}) .*\t(?:commit(?: \([\w ]+\))?|cherry-pick|revert|am|rebase[^:]{0,40}|merge [^:]{0,200}):(?! Fast-forward)/u;

/** Allows the one command that writes the note, which a person asked for in the configuration. Rules that deny it still count. */
const CONFIGURED: Approver = { name: 'the setting receipts.notes', ask: async () => await Promise.resolve({ verdict: 'allow', scope: 'once' }) };

/** What is needed to write the note of a commit. */
export interface NoteParts {
  readonly confinement: Confinement;
  readonly stateFolder: string;
  readonly run: (name: string, input: object, options: CallOptions) => Promise<CallResult>;
}

/** The commit that a call made, as the newest line of git's log of HEAD tells; undefined if it made none. */
export function madeCommit(reflog: string): string | undefined {
  return MADE.exec(reflog.trimEnd().split('\n').at(-1) ?? '')?.groups?.['commit'];
}

function readReflog(confinement: Confinement): string | undefined {
  try {
    using folder = confinement.openDirectory(['.git', 'logs']);
    return readRegular(folder.at('HEAD'), MAX_REFLOG_BYTES)?.bytes.toString();
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

const Status = z.object({
  staged: z.array(z.unknown()),
  unstaged: z.array(z.unknown()),
  conflicted: z.array(z.unknown()),
  untracked: z.array(z.unknown()),
});

const Ended = z.object({ exit_code: z.int().nullable() });

/** The lines of the note: the receipts that are valid for the files now. */
async function noteLines({ confinement, stateFolder }: NoteParts): Promise<string[]> {
  using receipts = new Receipts(confinement.root, stateFolder);
  const valid = await receipts.validNow();
  return [...valid.map((one) => noteLine(one)), ...valid.map(({ call }) => canonicalJson(receipts.receipt(receipts.call(call))))];
}

/**
 * Writes the receipts that are valid for a commit that a call has just made as its git note. The changes count as those of the call, so that
 * one undo takes back both. Writes none if files differ from the commit: receipts of other files would not be valid for it.
 */
export async function noteCommit(call: CheckedCall, parts: NoteParts): Promise<void> {
  if (!call.state.changes.some(({ path }) => path === REFLOG)) return;
  const reflog = readReflog(parts.confinement);
  const commit = reflog === undefined ? undefined : madeCommit(reflog);
  if (commit === undefined || notesLeadElsewhere(parts.confinement) !== false) return;
  const options = { ...nestedOptions(call), changesOf: call.options.changesOf ?? call.callId, foreground: true, approver: CONFIGURED };
  const status = await parts.run('git_status', {}, options);
  const found = status.ok ? Status.safeParse(status.data) : undefined;
  if (found?.success !== true || Object.values(found.data).some((paths) => paths.length > 0)) return;
  for (const command of noteCommands(commit, await noteLines(parts))) {
    const written = await parts.run('run_command', { command }, options);
    // A failed one is in the log. Of a note in several parts, the first ones are whole lines.
    if (!written.ok || Ended.safeParse(written.data).data?.exit_code !== 0) return;
  }
}
