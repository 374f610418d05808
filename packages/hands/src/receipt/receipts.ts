import { auditFolder, listSegments } from '../audit/audit-folder.ts';
import { readLinks } from '../audit/audit-head.ts';
import { linesBackwards } from '../audit/lines-backwards.ts';
import { type AuditedCall, commandEnd, parseRecord, queryAudit } from '../audit/query-audit.ts';
import { redactor } from '../audit/redact.ts';
import type { CommandRecord } from '../call/command-record.ts';
import { knownId } from '../text/known-id.ts';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { changedFiles, listingReader, type ReadListing } from '../tree/tree-files.ts';
import type { TreeState } from '../tree/tree-folders.ts';
import { isNoteCommand } from './note-commands.ts';
import { hiddenFiles, type HiddenFile } from './hidden-files.ts';
import { attest } from './attestation.ts';
import { logId, receiptStatement, shownCommand, shownWord, signReceipt, type ReceiptSource } from './make-receipt.ts';
import type { Receipt, ReceiptStatement } from './receipt.ts';
import { knownReceiptKey, receiptKey } from './receipt-key.ts';
import { verifyReceipt, type Expected, type LogAnswer, type ReceiptCheck, type ReceiptState } from './verify-receipt.ts';
import { workspaceNow, type WorkspaceNow } from './workspace-now.ts';

/** Maximum number of calls in which the newest receipt of each command is looked for. */
const MAX_CALLS = 5_000;

/** The newest receipt of a command. */
export interface NewestReceipt {
  readonly call: string;
  readonly command: string;
  readonly exit_code: number | null;
  /** `unknown` if the files were not recorded, or cannot be read. */
  readonly state: Extract<ReceiptState, 'valid' | 'stale'> | 'unknown';
  /** What changed since, as far as known. */
  readonly changed: string[];
  readonly folder: string;
  readonly ended: string;
  readonly duration_ms: number;
  readonly session?: string;
}

/** A record that says which one was the last of those that were removed for their age or the size of the log. */
const PRUNED = /^\{"seq":\d{1,15},.{0,200}"type":"notice","notice":"pruned",.{0,400}"last":"(?<last>[\da-f]{64})"/u;

type RecordedTree = CommandRecord['tree'];

interface Found {
  readonly about: Omit<NewestReceipt, 'state' | 'changed'>;
  readonly tree: RecordedTree;
  readonly current: Promise<TreeState | string> | undefined;
}

function stateOf(read: ReadListing, tree: RecordedTree, current: TreeState | string | undefined): Pick<NewestReceipt, 'state' | 'changed'> {
  if (tree === undefined || current === undefined || typeof current === 'string') return { state: 'unknown', changed: [] };
  if (tree.unstable !== true && (current.hash === tree.before || current.hash === tree.after)) return { state: 'valid', changed: [] };
  const lists = [tree.before, ...(tree.after === undefined ? [] : [tree.after])].map((sum) => changedFiles(read, sum, current.hash) ?? []);
  return { state: 'stale', changed: lists.toSorted((one, other) => one.length - other.length)[0] ?? [] };
}

const Folder = z.object({ cwd: z.string() });

/** The folder in which a command ran, relative to the workspace. */
function folderOf(given: unknown): string {
  const { success, data } = Folder.safeParse(given);
  return success ? data.cwd : '.';
}

/** What it means that the log does not have the record of a receipt. */
function withoutRecord(
  seq: number,
  { first, last, isRemoved }: { readonly first: number; readonly last: number; readonly isRemoved: boolean },
): LogAnswer {
  const contradict = (what: string): LogAnswer => ({ notes: [], contradiction: `The audit log of this workspace ${what}` });
  if (last < seq) return contradict(`ends before its record (${seq}): the log was cut, or the receipt is not from it.`);
  if (first < seq) return contradict(`has a gap where its record (${seq}) was: it was cut.`);
  if (!isRemoved) return contradict(`begins after its record (${seq}) without saying why: it was cut.`);
  return { notes: [`Its record (${seq}) is not in the audit log any more: old records are removed in time. The signature alone speaks for it.`] };
}

/** Receipts of the commands in a workspace, from its audit log. */
export class Receipts implements Disposable {
  readonly #stateFolder: string;
  readonly #now: WorkspaceNow;
  readonly #find: (sum: string) => string | undefined;
  readonly #redact = redactor([]);

  constructor(folder: string, stateFolder: string) {
    this.#stateFolder = stateFolder;
    this.#now = workspaceNow(folder, stateFolder);
    let find: ((sum: string) => string | undefined) | undefined;
    this.#find = (sum) => (find ??= this.#now.store.reader())(sum);
  }

  /** The call that an id or its beginning means. */
  call(id: string): AuditedCall {
    const { root } = this.#now;
    const [exact] = queryAudit(this.#stateFolder, root, { call: id, limit: 1 });
    if (exact !== undefined) return exact;
    const calls = [...queryAudit(this.#stateFolder, root, { limit: MAX_CALLS })];
    const whole = knownId(
      id,
      calls.map(({ call }) => call),
      { what: 'call', list: 'synapse receipts lists the calls that have a receipt.' },
    );
    return calls.find(({ call }) => call === whole) ?? this.call(whole);
  }

  /** The receipt of a call. */
  receipt(call: AuditedCall): Receipt {
    const source = this.#source();
    return signReceipt(receiptStatement(call, source), source.key);
  }

  /** The receipt of a call as an in-toto attestation. */
  attestation(call: AuditedCall): ReturnType<typeof attest> {
    const source = this.#source();
    return attest(receiptStatement(call, source), source.key);
  }

  [Symbol.dispose](): void {
    this.#now[Symbol.dispose]();
  }

  /** The public key of this machine. */
  key(): string {
    return receiptKey(this.#stateFolder).public;
  }

  #source(): ReceiptSource {
    const { root } = this.#now;
    return {
      root,
      key: receiptKey(this.#stateFolder),
      read: listingReader(this.#find),
      hidden: (sum) => this.#hidden(sum).map(({ path }) => path),
      redact: this.#redact,
    };
  }

  /** Verifies a receipt against this workspace. @param expected `key` as text, if it is not that of this machine */
  async verify(text: string, expected: Pick<Expected, 'command' | 'tree' | 'key'>): Promise<ReceiptCheck> {
    const own = knownReceiptKey(this.#stateFolder)?.public;
    const { command, ...rest } = expected;
    // What another machine vouches for is compared with what the files hold, and not with what this one noted of them.
    const isForeign = expected.key !== undefined && expected.key !== own;
    return await verifyReceipt(text, {
      ...rest,
      command: command === undefined ? undefined : shownWord(command, this.#now.root, this.#redact),
      key: expected.key ?? own,
      now: { ...this.#now, tree: async (hidden) => await this.#now.tree(hidden, isForeign) },
      log: (statement) => this.#inLog(statement, own),
      changedUnread: (statement) => this.#changedUnread(statement),
    });
  }

  /** The newest receipt of each command, newest first. */
  async newest(session?: string): Promise<NewestReceipt[]> {
    const { root } = this.#now;
    const found = new Map<string, Found>();
    const ended = [...queryAudit(this.#stateFolder, root, { limit: MAX_CALLS, ...(session === undefined ? {} : { session }) })].flatMap((call) => {
      const end = commandEnd(call);
      return end?.command === undefined ? [] : [{ ...call, end: { ...end, command: end.command } }];
    });
    // A job may have started before commands that ended before it.
    for (const { call, start, end } of ended.toSorted((one, other) => other.end.seq - one.end.seq)) {
      const { exit_code, duration_ms, tree } = end.command;
      const folder = folderOf(start.arguments);
      const command = shownCommand(end.command, root, this.#redact);
      const key = `${folder}\0${command}`;
      if (found.has(key)) continue;
      const current = tree === undefined ? undefined : this.#now.tree(this.#hidden(tree.hidden).map(({ path }) => path));
      const about = {
        call,
        command,
        exit_code,
        folder,
        ended: end.time,
        duration_ms,
        ...(start.session === undefined ? {} : { session: start.session }),
      };
      found.set(key, { about, tree, current });
    }
    // Comparing needs the listings of the files now.
    await Promise.all([...found.values()].map(async ({ current }) => await current));
    const read = listingReader(this.#now.store.reader());
    return await Promise.all([...found.values()].map(async ({ about, tree, current }) => ({ ...about, ...stateOf(read, tree, await current) })));
  }

  /** The receipts that are valid for the files now, newest first, without those of commands that only wrote them as a note. */
  async validNow(): Promise<NewestReceipt[]> {
    return (await this.newest()).filter(({ state, command }) => state === 'valid' && !isNoteCommand(command));
  }

  #hidden(sum: string | undefined): readonly HiddenFile[] {
    return hiddenFiles(this.#find, sum);
  }

  /** The files that the command could not read, and that changed since. */
  #changedUnread({ id }: ReceiptStatement): readonly string[] {
    const [call] = queryAudit(this.#stateFolder, this.#now.root, { call: id, limit: 1 });
    return this.#hidden(call === undefined ? undefined : commandEnd(call)?.command?.tree?.hidden)
      .filter(({ bytes, stamp }) => {
        const stat = lstatSync(Buffer.from(join(Buffer.from(this.#now.root).toString('latin1'), bytes), 'latin1'), { throwIfNoEntry: false });
        return (stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`) !== stamp;
      })
      .map(({ path }) => path);
  }

  /** Compares a receipt of this machine with the log of this workspace. */
  #inLog({ audit, key, command }: ReceiptStatement, own: string | undefined): LogAnswer {
    const { root } = this.#now;
    if (key !== own) return { notes: [] };
    if (audit.log !== logId(key, root)) return { notes: ['It was made in another folder of this machine, so the audit log here does not know it.'] };
    const folder = auditFolder(this.#stateFolder, root);
    let [first, last, beforeFirst] = [Number.POSITIVE_INFINITY, 0, ''];
    const removed = new Set<string>();
    for (const segment of listSegments(folder).toReversed()) {
      for (const { text } of linesBackwards(segment.path)) {
        const links = readLinks(text);
        if (links === undefined) continue;
        last = Math.max(last, links.seq);
        if (links.seq < first) [first, beforeFirst] = [links.seq, links.prev];
        const pruned = PRUNED.exec(text)?.groups?.['last'];
        if (pruned !== undefined) removed.add(pruned);
        if (links.seq !== audit.seq) continue;
        if (links.hash === audit.hash && links.prev === audit.prev) return { notes: this.#later(audit.seq, command) };
        return { notes: [], contradiction: `The audit log of this workspace has another record at its place (${audit.seq}).` };
      }
    }
    return withoutRecord(audit.seq, { first, last, isRemoved: removed.has(beforeFirst) });
  }

  /** Says whether the command ran again since: an older result does not count then. */
  #later(seq: number, command: string): string[] {
    const { root } = this.#now;
    for (const segment of listSegments(auditFolder(this.#stateFolder, root)).toReversed()) {
      for (const { text } of linesBackwards(segment.path, ['"type":"end"', '"command":{'])) {
        const end = parseRecord(text);
        if (end?.type !== 'end' || end.command === undefined) continue;
        if (end.seq <= seq) return [];
        if (shownCommand(end.command, root, this.#redact) !== command) continue;
        return [`The command ran again since: exit code ${end.command.exit_code ?? 'none'} in call ${end.call}.`];
      }
    }
    return [];
  }
}
