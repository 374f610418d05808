import { changedFiles, listingReader, restoreListings, type ReadListing } from '../tree/tree-files.ts';
import type { WorkspaceNow } from './workspace-now.ts';
import { signedBytes } from './make-receipt.ts';
import { isSignedBy } from './receipt-key.ts';
import { readEnvelope } from './attestation.ts';
import { Receipt, type ReceiptStatement } from './receipt.ts';

/** What a receipt proves now. */
export type ReceiptState = 'valid' | 'stale' | 'not-this' | 'forged';

/** The result of a verification. */
export interface ReceiptCheck {
  readonly state: ReceiptState;
  /** One sentence. */
  readonly reason: string;
  /** What changed since, relative to the workspace; folders end in a slash. */
  readonly changed: readonly string[];
  /** Which of these the command could not read. */
  readonly unread: readonly string[];
  /** Whether all that changed is in {@link changed}. */
  readonly complete: boolean;
  readonly call?: string;
  readonly command?: string;
  readonly exit_code?: number | null;
  readonly ended?: string;
  readonly key?: string;
  /** Further facts, one sentence each. */
  readonly notes: readonly string[];
}

/** What a receipt is compared with. */
export interface Expected {
  /** The public key that must have signed it. */
  readonly key: string | undefined;
  readonly command?: string | undefined;
  /** The hash of the tree that it must be about. */
  readonly tree?: string | undefined;
  /** The folder whose content must be as it was; undefined to check the signature only. */
  readonly now?: WorkspaceNow | undefined;
  /** What the audit log of this machine says about it; undefined elsewhere. */
  readonly log?: ((statement: ReceiptStatement) => LogAnswer) | undefined;
  /** Files that no command can read and that changed since, as this machine knows. */
  readonly changedUnread?: ((statement: ReceiptStatement) => readonly string[]) | undefined;
}

/** What a log says about a receipt. */
export interface LogAnswer {
  /** Why the receipt cannot be from the log. */
  readonly contradiction?: string;
  readonly notes: readonly string[];
}

const same = (one: string, other: string): boolean => one.trim().replaceAll(/\s+/gu, ' ') === other.trim().replaceAll(/\s+/gu, ' ');

type Verdict = Pick<ReceiptCheck, 'state' | 'reason'> & Partial<ReceiptCheck>;

function parse(text: string): { readonly statement: ReceiptStatement; readonly isSigned: (key: string) => boolean } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const enclosed = readEnvelope(value);
    if (enclosed !== undefined) return enclosed;
    const { signature, ...statement } = Receipt.parse(value);
    return { statement, isSigned: (key) => isSignedBy(key, signedBytes(statement), signature) };
  } catch {
    // Not JSON, or fields were removed or added.
    return undefined;
  }
}

/** Verifies a receipt or its attestation: who signed it, whether it is about this command, and whether what it stood on is still so. */
export async function verifyReceipt(text: string, expected: Expected): Promise<ReceiptCheck> {
  const parsed = parse(text);
  const notes: string[] = [];
  const { statement } = parsed ?? {};
  const known =
    statement === undefined
      ? {}
      : { call: statement.id, command: statement.command, exit_code: statement.exit_code, ended: statement.ended, key: statement.key };
  const verdict =
    parsed === undefined ? NO_RECEIPT : (signatureProblem(parsed, expected, notes) ?? (await compare(parsed.statement, expected, notes)));
  return { changed: [], unread: [], complete: true, ...known, ...verdict, notes };
}

const NO_RECEIPT: Verdict = { state: 'forged', reason: 'It is not a receipt of Synapse: it is no such JSON, or fields were added or removed.' };

function signatureProblem(
  { statement, isSigned }: NonNullable<ReturnType<typeof parse>>,
  { key, log }: Expected,
  notes: string[],
): Verdict | undefined {
  if (key === undefined) return { state: 'forged', reason: 'Nothing shows who signed it: give the public key of that machine with --key.' };
  if (statement.key !== key) {
    const reason = isSigned(statement.key)
      ? 'It was signed with another key: that of another machine, or one that was lost and made anew.'
      : 'It names another key, and was not signed with that either.';
    return { state: 'forged', reason };
  }
  if (!isSigned(key)) return { state: 'forged', reason: 'The signature does not fit: a field was changed after it was signed.' };
  if (statement.clock !== undefined)
    notes.push('The clock of that machine was set while the command ran, so its times may be wrong; its place in the log is not.');
  const answer = log?.(statement);
  notes.push(...(answer?.notes ?? []));
  return answer?.contradiction === undefined ? undefined : { state: 'forged', reason: answer.contradiction };
}

/** What a receipt is about in place of what it is compared with; undefined if it is about that. */
function otherSubject(statement: ReceiptStatement, { command, tree }: Expected): string | undefined {
  if (command !== undefined && !same(command, statement.command)) return `It is about another command: ${statement.command}`;
  const { before, after } = statement.tree ?? {};
  return tree !== undefined && tree !== before && tree !== after ? 'It is about another tree.' : undefined;
}

async function compare(statement: ReceiptStatement, expected: Expected, notes: string[]): Promise<Verdict> {
  const { now } = expected;
  const other = otherSubject(statement, expected);
  if (other !== undefined) return { state: 'not-this', reason: other };
  const recorded = statement.tree;
  if (statement.exit_code !== 0)
    notes.push(`The command did not succeed: ${statement.exit_code === null ? 'it was ended' : `exit code ${statement.exit_code}`}.`);
  if (now === undefined) return { state: 'valid', reason: 'It is signed. The files were not compared.' };
  if (recorded === undefined)
    return { state: 'not-this', reason: `It does not say what the files were: ${statement.no_tree ?? 'that was not recorded'}.` };
  const current = await now.tree(recorded.not_read);
  if (typeof current === 'string') return { state: 'stale', reason: `The files cannot be compared: ${current}.`, complete: false };
  const unread = expected.changedUnread?.(statement) ?? [];
  if (recorded.unstable === true)
    return { state: 'stale', reason: 'Something else changed files while the command ran.', changed: unread, unread, complete: false };
  const isSame = current.hash === recorded.before || current.hash === recorded.after;
  if (isSame) {
    const rest = unread.length === 0 ? '' : ' What changed since, the command could not read.';
    return { state: 'valid', reason: `It is signed, and the files are as they were.${rest}`, changed: unread, unread };
  }
  return differing(statement, now, current.hash, unread);
}

function differing({ tree }: ReceiptStatement, now: WorkspaceNow, current: string, unread: readonly string[]): Verdict {
  const { before = '', after, files } = tree ?? {};
  const restored = files === undefined ? undefined : restoreListings(files, before);
  const read: ReadListing = listingReader(now.store.reader(), (sum) => restored?.get(sum));
  // The nearer of both states tells what changed since.
  const candidates = [before, ...(after === undefined ? [] : [after])].map((sum) => changedFiles(read, sum, current));
  const changed = candidates.filter((list) => list !== undefined).toSorted((one, other) => one.length - other.length)[0];
  if (changed === undefined) {
    return { state: 'stale', reason: 'Files changed since; which ones is not known here.', changed: unread, unread, complete: false };
  }
  const total = files === undefined ? undefined : Object.keys(files).length;
  if (total !== undefined && total > 0 && Object.keys(files ?? {}).every((path) => changed.includes(path))) {
    return { state: 'not-this', reason: 'It is about another tree: none of its files is here.' };
  }
  return { state: 'stale', reason: 'Files changed since.', changed: [...changed, ...unread].toSorted(), unread };
}
