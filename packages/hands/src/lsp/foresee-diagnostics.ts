import { isUtf8 } from 'node:buffer';
import { settlesWithin } from '../events/timing.ts';
import { bytesAfter, bytesBefore } from '../journal/step-text.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { Step } from '../workspace/changes/step.ts';
import type { CodeServers, CodeSession } from './code-servers.ts';
import { compared, MAX_FILES, sentencesOf, type Told, WAIT_MS } from './edit-diagnostics.ts';
import { readFindings, type Finding } from './finding.ts';
import type { LanguageServers, Look } from './language-servers.ts';
import { serverFor, type ServerRow } from './server-table.ts';

/** Most milliseconds that a server may take: it is of use to nothing later. */
const CHECK_MS = 5_000;
/** Maximum size of a file. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A file that a dry run would change. */
export interface PlannedText {
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The texts that a dry run would leave, of files that exist or that it would create. */
export function plannedTexts(steps: readonly Step[], powers: StepPowers): PlannedText[] {
  return steps.flatMap((step): PlannedText[] => {
    if (step.kind !== 'set' || step.after?.type !== 'file' || !step.path.every((name) => typeof name === 'string')) return [];
    const [before, after] = [bytesBefore(powers, step, MAX_BYTES), bytesAfter(powers, step, MAX_BYTES)];
    if (after === undefined || !isUtf8(after) || (step.before !== null && (before === undefined || !isUtf8(before)))) return [];
    return [{ path: step.path.join('/'), before: before?.toString(), after: after.toString() }];
  });
}

/** The findings of a file before and after. */
type Pair = readonly [before: readonly Finding[], after: readonly Finding[]];

/** Asks a server that answers about the texts which are open, of all files at once: they may need each other. Undefined for another server. */
async function askTogether(
  row: ServerRow,
  texts: readonly PlannedText[],
  { code, root }: ForeseeUse,
  signal: AbortSignal,
): Promise<Pair[] | undefined> {
  const ask = async (session: CodeSession, which: 'before' | 'after'): Promise<Finding[][]> => {
    for (const { path, [which]: text } of texts) {
      const language = serverFor(path, [row])?.language;
      if (language !== undefined && text !== undefined) session.open({ path, language, text });
    }
    const found: Finding[][] = [];
    for (const { path, [which]: text } of texts) {
      const report: unknown = text === undefined ? undefined : await session.about('textDocument/diagnostic', path);
      found.push(readFindings(Object(report).items, root));
    }
    return found;
  };
  const { answer } = await code.converse(
    row,
    texts.map(({ path }) => path),
    async (session) =>
      session.offers('diagnosticProvider') ? { before: await ask(session, 'before'), after: await ask(session, 'after') } : undefined,
    signal,
  );
  return answer === undefined ? undefined : texts.map((_, index) => [answer.before[index] ?? [], answer.after[index] ?? []]);
}

/** Asks a server that tells its findings by itself, which is about one file at a time. */
async function askAlone(
  row: ServerRow,
  { path, before, after }: PlannedText,
  { servers, look }: ForeseeUse,
  signal: AbortSignal,
): Promise<Pair | undefined> {
  const language = serverFor(path, [row])?.language;
  if (language === undefined) return undefined;
  const check = async (text: string) => (await servers.check(row, { path, language, text }, look(signal), signal)).findings;
  const [old, now] = [before === undefined ? [] : await check(before), await check(after)];
  return old === undefined || now === undefined ? undefined : [old, now];
}

const LATE = 'not known in time';

async function foreseen(row: ServerRow, texts: readonly PlannedText[], use: ForeseeUse, signal: AbortSignal): Promise<Told[]> {
  const pairs = await askTogether(row, texts, use, signal);
  if (pairs !== undefined) return pairs.flatMap(([before, after], index) => compared(texts[index]?.path ?? '', before, after));
  const [only] = texts;
  if (only === undefined || texts.length > 1) return texts.map(({ path }) => ({ path, shared: 'not known beforehand, of several files at once' }));
  const pair = await askAlone(row, only, use, signal);
  return pair === undefined ? [{ path: only.path, shared: LATE }] : compared(only.path, ...pair);
}

/** What a server needs to be asked. */
export interface ForeseeUse {
  readonly servers: Pick<LanguageServers, 'rows' | 'isRunning' | 'check'>;
  readonly look: (signal: AbortSignal) => Look;
  readonly code: CodeServers;
  /** The real path of the workspace. */
  readonly root: string;
}

/**
 * What the diagnostics of files would say after a change that is only tried, where a language server runs anyway. A sentence each. Never throws, and
 * never waits longer than after a change.
 */
export async function foreseeDiagnostics(planned: readonly PlannedText[], use: ForeseeUse): Promise<string[]> {
  const { servers } = use;
  const known = planned.flatMap((text) => {
    const row = serverFor(text.path, servers.rows)?.row;
    return row !== undefined && servers.isRunning(row) ? [{ row, text }] : [];
  });
  const signal = AbortSignal.timeout(CHECK_MS);
  const groups = Array.from(
    Map.groupBy(known, ({ row }) => row),
    ([row, files]) => ({ row, texts: files.map(({ text }) => text) }),
  );
  const told: Told[][] = groups.map(({ texts }) => texts.map(({ path }) => ({ path, shared: LATE })));
  const asking = groups.map(async ({ row, texts }, at) => {
    const [looked, further] = [texts.slice(0, MAX_FILES), texts.slice(MAX_FILES)];
    try {
      told[at] = [...(await foreseen(row, looked, use, signal)), ...further.map(({ path }) => ({ path, shared: LATE }))];
    } catch {
      // The server does not work, may not read a file, or took too long: the dry run itself has succeeded.
    }
  });
  await settlesWithin(Promise.all(asking), WAIT_MS);
  return sentencesOf(told.flat());
}
