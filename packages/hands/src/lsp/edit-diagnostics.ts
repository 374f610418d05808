import { settlesWithin } from '../events/timing.ts';
import { count } from '../text/amounts.ts';
import type { RecordedChange } from '../workspace/changes/step.ts';
import type { Diagnostics, FileDiagnostics } from './diagnostics.ts';
import type { Finding } from './finding.ts';

/** Most milliseconds that a call waits for what its changes brought. */
export const WAIT_MS = 300;
/** Most milliseconds that a server may take. What comes later than the answer is known to the next one. */
const CHECK_MS = 20_000;
/** Most changed files of one call that are checked. */
export const MAX_FILES = 5;
/** Most files whose findings are remembered. */
const MAX_KNOWN = 500;
const MAX_SHOWN = 3;
const MAX_MESSAGE = 160;

/** The findings of a file in one version. */
interface Known {
  readonly version: string;
  /** The number of changes that its server was told of by then. */
  readonly at: number;
  readonly findings: readonly Finding[];
}

/** What a server says of a file, with the number of changes that it was told of by then. */
type Answer = FileDiagnostics & Pick<Known, 'at'>;

const isTold = ({ severity }: Finding): boolean => severity === 'error' || severity === 'warning';
/** A finding without its place, which moves with the text. */
const keyOf = ({ severity, code, message }: Finding): string => `${severity} ${code} ${message}`;

/** The findings that one list has more than another: of equal ones, rather those at places where the other has none. */
function beyond(findings: readonly Finding[], other: readonly Finding[]): Finding[] {
  const left = Map.groupBy(other, keyOf);
  const take = (one: Finding, isIt: (known: Finding) => boolean): boolean => {
    const known = left.get(keyOf(one)) ?? [];
    const at = known.findIndex(isIt);
    if (at !== -1) left.set(keyOf(one), known.toSpliced(at, 1));
    return at !== -1;
  };
  const moved = findings.filter((one) => !take(one, ({ line, column }) => line === one.line && column === one.column));
  return moved.filter((one) => !take(one, () => true));
}

function shown(path: string, findings: readonly Finding[]): string {
  const named = findings.slice(0, MAX_SHOWN).map(({ line, column, severity, code, message }) => {
    const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message;
    return `${path}:${line}:${column} ${severity}${code === '' ? '' : ` ${code}`} ${text.replace(/\.$/u, '')}`;
  });
  return [...named, ...(findings.length > MAX_SHOWN ? [`${findings.length - MAX_SHOWN} more`] : [])].join('; ');
}

/** Findings of which it is unknown whether the change brought them: of many, such as where packages are not installed, one says enough. */
const uncompared = (path: string, findings: readonly Finding[]): string =>
  findings.length <= MAX_SHOWN ? shown(path, findings) : `${findings.length} findings, such as ${shown(path, findings.slice(0, 1))}`;

/** Names files in a sentence, of many only the first ones. */
const named = (paths: readonly string[]): string =>
  paths.length <= MAX_SHOWN ? paths.join(', ') : `${paths.slice(0, MAX_SHOWN - 1).join(', ')} and ${paths.length - MAX_SHOWN + 1} more`;

/** What is said of a file: a sentence of its own, or the end of one that it shares with others. */
export type Told = { readonly sentence: string } | { readonly path: string; readonly shared: string };

const NOT_YET = 'not yet; the tool diagnostics waits for them';

/** What got worse or better comes first; the same of several files is said once. */
export function sentencesOf(told: readonly Told[]): string[] {
  const shared = Map.groupBy(
    told.filter((one) => 'shared' in one),
    (one) => one.shared,
  );
  return [
    ...told.flatMap((one) => ('sentence' in one ? [one.sentence] : [])),
    ...[...shared].map(([end, files]) => `Diagnostics of ${named(files.map(({ path }) => path))}: ${end}.`),
  ];
}

/** What is known before, where other files changed in between: they may be what it comes from. */
const SINCE = ' since its last check, before other files changed';

/**
 * What got worse, and what got better, of the findings of a file.
 *
 * @param isAlone whether no other file changed in between
 */
export function compared(path: string, before: readonly Finding[], after: readonly Finding[], isAlone = true): Told[] {
  const [old, now] = [before.filter(isTold), after.filter(isTold)];
  const [worse, better] = [beyond(now, old), beyond(old, now)];
  if (worse.length + better.length === 0) return [{ path, shared: `nothing new${now.length === 0 ? '' : `, ${now.length} as before`}` }];
  return [
    ...(worse.length === 0 ? [] : [{ sentence: `Worse${isAlone ? '' : SINCE}: ${shown(path, worse)}.` }]),
    ...(better.length === 0 ? [] : [{ sentence: `Better: ${count(better.length, 'finding')} gone from ${path}${isAlone ? '' : SINCE}.` }]),
  ];
}

/** What the diagnostics of changed files say after the change and did not before, where a language server runs anyway. */
export class EditDiagnostics {
  readonly #known = new Map<string, Known>();

  /** What a call did to the diagnostics, in a few sentences; empty if no server runs for its files. Never throws, and never waits longer than {@link WAIT_MS}. */
  async after(changes: readonly RecordedChange[], diagnosticsOf: (signal: AbortSignal) => Diagnostics): Promise<string[]> {
    const signal = AbortSignal.timeout(CHECK_MS);
    const diagnostics = diagnosticsOf(signal);
    // Of several changes of a file, the last one counts; its state before is that of the first.
    const files = new Map<string, RecordedChange>();
    for (const change of changes) {
      if ((change.kind === 'write' || change.kind === 'create') && diagnostics.isWarm(change.path)) {
        files.set(change.path, { ...change, before: files.get(change.path)?.before ?? change.before });
      }
    }
    const looked = [...files.values()].slice(0, MAX_FILES);
    if (looked.length === 0) return [];
    const answers = new Map<string, Answer>();
    const checks = looked.map(async ({ path }) => {
      // Also kept if it comes too late for this call.
      const answer = await diagnostics.check(path).catch(() => undefined);
      if (answer?.status !== 'checked' || answer.version === undefined) return;
      answers.set(path, { ...answer, at: diagnostics.changesFor(path)?.count ?? 0 });
    });
    await settlesWithin(Promise.all(checks), WAIT_MS);
    const own = new Set(changes.map(({ path }) => path));
    const told = looked.flatMap((change) => {
      const isAlone = (since: number): boolean => diagnostics.changesFor(change.path)?.hasOthersSince(since, own) !== true;
      return this.#told(change, answers.get(change.path), isAlone);
    });
    const further = [...files.keys()].slice(MAX_FILES).map((path) => ({ path, shared: NOT_YET }));
    void Promise.allSettled(checks).then(() => {
      for (const answer of answers.values()) this.#remember(answer);
    });
    return sentencesOf([...told, ...further]);
  }

  #remember({ path, version = '', findings, at }: Answer): void {
    this.#known.delete(path);
    this.#known.set(path, { version, findings: findings.filter(isTold), at });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #told({ path, before, after, kind }: RecordedChange, answer: Answer | undefined, isAlone: (since: number) => boolean): Told[] {
    if (answer === undefined) return [{ path, shared: NOT_YET }];
    // Changed again meanwhile: the findings are of another text.
    if (answer.version !== after) return [];
    const findings = answer.findings.filter(isTold);
    const known = kind === 'create' ? { version: before, findings: [], at: answer.at } : this.#known.get(path);
    this.#remember(answer);
    if (known?.version !== before) {
      return findings.length === 0
        ? [{ path, shared: 'nothing found' }]
        : [{ sentence: `Diagnostics of ${path} (not compared with before): ${uncompared(path, findings)}.` }];
    }
    return compared(path, known.findings, findings, isAlone(known.at));
  }
}
