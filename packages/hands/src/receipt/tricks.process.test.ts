import { hash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readLinks, seal } from '../audit/audit-head.ts';
import { queryAudit } from '../audit/query-audit.ts';
import { JournalDatabase } from '../journal/journal-database.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { workspaceId } from '../state/state-folder.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { receiptStatement, signReceipt } from './make-receipt.ts';
import { receiptKey } from './receipt-key.ts';
import { Receipts } from './receipts.ts';
import type { ReceiptCheck } from './verify-receipt.ts';

const works = (await findBubblewrap()) !== undefined;
const DAY_MS = 86_400_000;

/** A workspace with a receipt of `true`, which is given to a verifier. */
interface Given {
  readonly place: TemporaryHands;
  readonly state: string;
  readonly call: string;
  text: string;
  /** What the verifier says that it must be about. */
  expected: { command?: string; key: string | undefined };
  /** The folder in which it is verified, and the state of that machine. */
  at: { folder: string; state: string };
}

const stateOf = ({ folder }: TemporaryHands): string => join(folder, '..', 'state');
const run = async ({ hands }: TemporaryHands, command: string): Promise<string> => (await hands.call('run_command', { command })).meta.callId;

/** Changes the lines of the audit log. */
function rewriteLog({ state, place }: Given, change: (lines: string[]) => string[]): void {
  const folder = join(state, 'audit', workspaceId(place.folder));
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) {
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    writeFileSync(join(folder, name), `${change(lines).join('\n')}\n`);
  }
}

type Row = readonly [trick: string, play: (given: Given) => Promise<void> | void, state: ReceiptCheck['state'], sentence: string];

const ROWS: readonly Row[] = [
  ['nothing', () => undefined, 'valid', 'It is signed, and the files are as they were.'],
  [
    'the clock was set back while the command ran',
    (given) => {
      const [call] = queryAudit(given.state, given.place.folder, { call: given.call, limit: 1 });
      if (call?.end === undefined) throw new Error('The call is not in the log.');
      const time = new Date(Date.parse(call.start.time) - DAY_MS).toISOString();
      const source = {
        root: given.place.folder,
        key: receiptKey(given.state),
        read: () => undefined,
        hidden: () => [],
        redact: (text: string) => text,
      };
      given.text = JSON.stringify(signReceipt(receiptStatement({ ...call, end: { ...call.end, time } }, source), source.key));
    },
    'valid',
    'The clock of that machine was set while the command ran, so its times may be wrong; its place in the log is not.',
  ],
  [
    'the clock was set back between calls, and an earlier result is shown',
    async ({ place }) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(Date.now() - DAY_MS);
      await run(place, 'true');
    },
    'valid',
    'The command ran again since: exit code 0 in call ',
  ],
  [
    'the receipt of an earlier run is shown again',
    async ({ place }) => {
      await place.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
      await run(place, 'true');
    },
    'stale',
    'Files changed since.',
  ],
  [
    'the receipt is shown for another command',
    (given) => {
      given.expected = { command: 'npm test', key: undefined };
    },
    'not-this',
    'It is about another command: true',
  ],
  [
    'the undo journal was pruned',
    ({ state, place }) => {
      using journal = new JournalDatabase(join(state, 'journal', workspaceId(place.folder), 'journal.db'));
      journal.prune(Date.now() + DAY_MS, 0);
    },
    'valid',
    'It is signed, and the files are as they were.',
  ],
  [
    'the audit log was pruned',
    async (given) => {
      await run(given.place, 'echo later');
      rewriteLog(given, (lines) => {
        const [last, end] = [readLinks(lines[1] ?? ''), readLinks(lines.at(-1) ?? '')];
        if (last === undefined || end === undefined) throw new Error('The log has no links.');
        const notice = { type: 'notice', notice: 'pruned', detail: 'Segment 1 was removed.', last: last.hash } as const;
        return [...lines.slice(2), seal(notice, end.seq + 1, new Date(), end.hash).text.trimEnd()];
      });
    },
    'valid',
    'is not in the audit log any more: old records are removed in time. The signature alone speaks for it.',
  ],
  [
    'the audit log was cut before its record',
    (given) => rewriteLog(given, (lines) => lines.slice(0, 1)),
    'forged',
    'the log was cut, or the receipt is not from it.',
  ],
  [
    'the beginning of the audit log was cut off',
    async (given) => {
      await run(given.place, 'echo later');
      rewriteLog(given, (lines) => lines.slice(2));
    },
    'forged',
    'without saying why: it was cut.',
  ],
  [
    'its record was cut out of the audit log',
    async (given) => {
      await run(given.place, 'echo later');
      rewriteLog(given, (lines) => [...lines.slice(0, 1), ...lines.slice(2)]);
    },
    'forged',
    'has a gap where its record',
  ],
  [
    'the record at its place is another one',
    (given) =>
      rewriteLog(given, (lines) => {
        const { seq, prev } = readLinks(lines[1] ?? '') ?? { seq: 0, prev: '' };
        return [...lines.slice(0, 1), seal({ type: 'notice', notice: 'foreign', detail: 'x' }, seq, new Date(), prev).text.trimEnd()];
      }),
    'forged',
    'has another record at its place',
  ],
  ['the key was lost', ({ state }) => rmSync(join(state, 'receipt-key.json')), 'forged', 'Nothing shows who signed it: give the public key'],
  [
    'the key was lost, and made anew',
    ({ state }) => {
      rmSync(join(state, 'receipt-key.json'));
      receiptKey(state);
    },
    'forged',
    'It was signed with another key: that of another machine, or one that was lost and made anew.',
  ],
  [
    'the key was lost, and the public key is known',
    (given) => {
      given.expected = { key: receiptKey(given.state).public };
      rmSync(join(given.state, 'receipt-key.json'));
    },
    'valid',
    'It is signed, and the files are as they were.',
  ],
  [
    'the repository was moved on this machine',
    (given) => {
      given.at = { ...given.at, folder: join(given.place.outside, 'moved') };
      cpSync(given.place.folder, given.at.folder, { recursive: true });
    },
    'valid',
    'It was made in another folder of this machine, so the audit log here does not know it.',
  ],
  [
    'the repository was moved to another machine',
    (given) => {
      given.at = { folder: join(given.place.outside, 'moved'), state: join(given.place.outside, 'state') };
      cpSync(given.place.folder, given.at.folder, { recursive: true });
      given.expected = { key: receiptKey(given.state).public };
    },
    'valid',
    'It is signed, and the files are as they were.',
  ],
  [
    'the repository was moved to another machine, which has a key of its own',
    (given) => {
      given.at = { folder: join(given.place.outside, 'moved'), state: join(given.place.outside, 'state') };
      cpSync(given.place.folder, given.at.folder, { recursive: true });
      receiptKey(given.at.state);
    },
    'forged',
    'It was signed with another key: that of another machine, or one that was lost and made anew.',
  ],
];

describe.skipIf(!works)('a receipt, if', () => {
  afterEach(() => void vi.useRealTimers());

  it.each(ROWS)('%s', async (_, play, state, sentence) => {
    await using place = await temporaryHands({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, { sandbox: 'required' });
    const call = await run(place, 'true');
    const given: Given = {
      place,
      state: stateOf(place),
      call,
      text: '',
      expected: { key: undefined },
      at: { folder: place.folder, state: stateOf(place) },
    };
    {
      using receipts = new Receipts(place.folder, given.state);
      given.text = JSON.stringify(receipts.receipt(receipts.call(call)));
    }
    await play(given);
    using receipts = new Receipts(given.at.folder, given.at.state);
    const check = await receipts.verify(given.text, given.expected);
    expect([check.state, [check.reason, ...check.notes].filter((one) => one.includes(sentence))]).toEqual([state, [expect.any(String)]]);
  });

  it('the clock was set back between calls, the newest run of a command counts', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required' });
    const command = 'grep -q two a.txt';
    await run(place, command);
    await place.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() - DAY_MS);
    const call = await run(place, command);
    using receipts = new Receipts(place.folder, stateOf(place));
    expect(await receipts.newest()).toMatchObject([{ call, command, exit_code: 0, state: 'valid' }]);
  });

  it('was made elsewhere, each file is read, whatever this machine noted of it', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required' });
    const call = await run(place, 'true');
    const [folder, state] = [join(place.outside, 'moved'), join(place.outside, 'state')];
    cpSync(place.folder, folder, { recursive: true });
    const { public: key } = receiptKey(stateOf(place));
    using made = new Receipts(place.folder, stateOf(place));
    const text = JSON.stringify(made.receipt(made.call(call)));
    const states: string[] = [];
    const known = join(state, 'trees', workspaceId(folder), 'known');
    for (let look = 0; look < 2; look += 1) {
      using receipts = new Receipts(folder, state);
      states.push((await receipts.verify(text, { key })).state);
      const body = readFileSync(known, 'latin1');
      const wrong = body.slice(body.indexOf('\n') + 1).replace(hash('sha256', 'one\n'), hash('sha256', 'two\n'));
      writeFileSync(known, Buffer.from(`${hash('sha256', Buffer.from(wrong, 'latin1'))}\n${wrong}`, 'latin1'));
    }
    expect(states).toEqual(['valid', 'valid']);
  });
});
