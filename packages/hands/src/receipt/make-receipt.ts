import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { commandEnd, type AuditedCall } from '../audit/query-audit.ts';
import type { EndRecord } from '../audit/audit-record.ts';
import type { Redact } from '../audit/redact.ts';
import type { CommandRecord, RecordedProgram } from '../call/command-record.ts';
import { workspaceId } from '../state/state-folder.ts';
import { listTree, type ReadListing } from '../tree/tree-files.ts';
import { canonicalJson } from './canonical-json.ts';
import { withoutHereDocuments } from './here-documents.ts';
import { withoutOutsidePaths } from './outside-paths.ts';
import type { Receipt, ReceiptStatement } from './receipt.ts';
import type { ReceiptKey } from './receipt-key.ts';

/** What a receipt is made of. */
export interface ReceiptSource {
  readonly root: string;
  readonly key: ReceiptKey;
  readonly read: ReadListing;
  /** The files that a command could not read, from their hash in its record. */
  readonly hidden: (sum: string | undefined) => readonly string[];
  readonly redact: Redact;
}

/** Milliseconds by which the clock may differ from the measured duration: more than it is corrected while a command runs. */
const CLOCK_MS = 2_000;

/** Whether the clock was set between the start and the end of a call. */
function wasClockSet({ start, end }: { readonly start: AuditedCall['start']; readonly end: EndRecord }): boolean {
  return Math.abs(Date.parse(end.time) - Date.parse(start.time) - end.duration_ms) > CLOCK_MS;
}

/** Identifies the log of a workspace, without telling where that is. */
export const logId = (key: string, root: string): string => hash('sha256', `${key}\0${workspaceId(root)}`).slice(0, 32);

/** Maximum bytes of a program that is hashed. */
const MAX_PROGRAM_BYTES = 512 * 1024 * 1024;

function describeProgram({ name, path, stamp }: RecordedProgram): ReceiptStatement['programs'][number] {
  const shown = basename(name);
  const identity = hash('sha256', `${path}\0${stamp}`);
  try {
    const { ino, size, mtimeMs } = statSync(path);
    if (`${ino} ${size} ${mtimeMs}` === stamp && size <= MAX_PROGRAM_BYTES) return { name: shown, sha256: hash('sha256', readFileSync(path)) };
  } catch {
    // It was removed since.
  }
  return { name: shown, identity };
}

const Folder = z.object({ cwd: z.string() });

/** A word of a command as a receipt shows it: without secrets, paths outside the workspace, and contents of files. */
export function shownWord(word: string, root: string, redact: Redact): string {
  // A model may write half of a surrogate pair, which canonical JSON cannot express.
  return withoutOutsidePaths(withoutHereDocuments(redact(word)), root).toWellFormed();
}

/** The command of a call as a receipt shows it. */
export const shownCommand = ({ argv }: Pick<CommandRecord, 'argv'>, root: string, redact: Redact): string =>
  shownWord(argv.at(-1) ?? '', root, redact);

function treeOf(command: CommandRecord, { read, hidden, redact }: ReceiptSource): Pick<ReceiptStatement, 'tree' | 'no_tree'> {
  const { tree, no_tree: problem } = command;
  if (tree === undefined) return { no_tree: problem ?? 'it was not recorded' };
  const { before, after, unstable } = tree;
  const mayShow = (path: string): boolean => redact(path) === path;
  const files = listTree(read, before, mayShow);
  return {
    tree: {
      before,
      ...(after === undefined ? {} : { after }),
      ...(unstable === undefined ? {} : { unstable }),
      not_read: hidden(tree.hidden).filter(mayShow),
      ...(files === undefined ? {} : { files }),
    },
  };
}

/** The bytes that a signature of a receipt covers. */
export const signedBytes = (statement: ReceiptStatement): Buffer => Buffer.from(canonicalJson(statement));

/**
 * Makes the statement of a receipt from the record of a call: nothing of it is from anywhere else.
 *
 * @throws SynapseError `not_found` if no command ended in the call
 */
export function receiptStatement(call: AuditedCall, source: ReceiptSource): ReceiptStatement {
  const { start } = call;
  const end = commandEnd(call);
  const command = end?.command;
  if (end === undefined || command === undefined) {
    throw new SynapseError('not_found', `No receipt: no command of the call ${call.call} has ended.`, {
      hint: 'Receipts are of run_command, and of its jobs once they have ended: synapse receipts lists them.',
    });
  }
  const { root, redact, key } = source;
  const text = (word: string): string => shownWord(word, root, redact);
  const [shell = '', ...words] = command.argv;
  const folder = Folder.safeParse(start.arguments);
  return {
    type: 'synapse-receipt',
    version: 1,
    id: call.call,
    tool: call.tool,
    ...(start.session === undefined ? {} : { session: start.session.toWellFormed() }),
    started: start.time,
    ended: end.time,
    ...(wasClockSet({ start, end }) ? { clock: 'was set' as const } : {}),
    command: shownCommand(command, root, redact),
    arguments: [basename(shell), ...words.map(text)],
    folder: folder.success ? text(folder.data.cwd) : '.',
    exit_code: command.exit_code,
    ...(command.signal === undefined ? {} : { signal: command.signal }),
    ...(command.aborted === undefined ? {} : { aborted: command.aborted }),
    duration_ms: command.duration_ms,
    ...(end.job === undefined ? {} : { job: end.job }),
    sandbox: end.sandbox ?? 'none',
    ...(command.ran === undefined ? {} : { ran: command.ran }),
    network: command.network,
    output: { ...command.output, ...(command.shown === undefined ? {} : { shown_sha256: command.shown }) },
    programs: command.programs.map(describeProgram),
    ...treeOf(command, source),
    audit: { log: logId(key.public, root), start: start.seq, seq: end.seq, prev: end.prev, hash: end.hash },
    key: key.public,
  };
}

/** Signs a statement. */
export function signReceipt(statement: ReceiptStatement, key: ReceiptKey): Receipt {
  return { ...statement, signature: key.sign(signedBytes(statement)) };
}
