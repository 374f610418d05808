import { stripVTControlCharacters } from 'node:util';
import { checkOf, type Check } from './command-kinds.ts';
import { commandParts, type CommandPart } from './command-line.ts';
import { plainPath } from '../seen-calls.ts';
import { quotedSummaries, readClaims, type Claim } from './read-claims.ts';
import { isEmptyScript, testSummary } from './test-output.ts';

/** A call of a session, as far as claims are about it. In the order in which they ended. */
export interface EvidenceCall {
  readonly id: string;
  readonly ok: boolean;
  /** The command, if it ran one that ended. */
  readonly command?: {
    readonly line: string;
    /** Relative to the workspace. */
    readonly folder: string;
    readonly exitCode: number | null;
    /** What the model got of its output; undefined if it is not known. */
    readonly output: string | undefined;
    /** Whether that is not what the record says it was. */
    readonly isEdited?: boolean;
    /** Whether its receipt is still valid: then nothing that counts changed since. Undefined if it is not known. */
    readonly isCurrent?: boolean;
    /** Set for a job, which runs in the background: whether it still does. */
    readonly job?: { readonly runs: boolean };
    /** A file that another call changed while it ran. */
    readonly changedMeanwhile?: string;
  };
  /** Paths that it read, relative to the workspace. */
  readonly reads: readonly string[];
  readonly changes: ReadonlyArray<{
    readonly path: string;
    readonly isDeleted: boolean;
    /** Text that it added, if known. */ readonly added?: string;
  }>;
}

/** A claim with what speaks for or against it. */
export interface CheckedClaim {
  readonly claim: string;
  readonly verdict: 'backed' | 'not-backed' | 'contradicted';
  /** One sentence. */
  readonly reason: string;
  /** The call that backs or contradicts it, which is also the id of its receipt. */
  readonly call?: string;
}

/** The claims of a text, checked. */
export interface ClaimCheck {
  readonly claims: readonly CheckedClaim[];
  /** Whether each claim is backed. */
  readonly ok: boolean;
}

type Verdict = Omit<CheckedClaim, 'claim'>;

/** A run of a check in the session. */
interface Run {
  readonly call: EvidenceCall;
  readonly command: NonNullable<EvidenceCall['command']>;
  readonly part: CommandPart;
  readonly check: Check;
  readonly index: number;
}

interface Session {
  readonly calls: readonly EvidenceCall[];
  readonly runs: readonly Run[];
  readonly text: string;
  readonly root: string | undefined;
}

/** Maximum number of claims of a text, and of quoted lines, that are checked: each costs a look at all calls. No honest report has as many. */
const MAX_CLAIMS = 200;

const unchecked = (count: number): CheckedClaim => ({
  claim: `${count - MAX_CLAIMS} further claims`,
  verdict: 'not-backed',
  reason: `Only the first ${MAX_CLAIMS} are checked.`,
});

/**
 * Checks what a text says was done against the calls that were made: whether the tests it says passed were run, whole, after the last
 * change, in the folder that was changed, with an exit code that nothing hid. What is not known does not count as backed.
 *
 * @param root the folder of the workspace, for absolute paths
 */
export function checkClaims(text: string, calls: readonly EvidenceCall[], root?: string): ClaimCheck {
  const runs = calls.flatMap((call, index) => {
    const { command } = call;
    if (command === undefined) return [];
    return commandParts(command.line, command.folder).flatMap((part): Run[] => {
      const check = checkOf(part);
      return check === undefined ? [] : [{ call, command, part, check, index }];
    });
  });
  const session: Session = { calls, runs, text, root };
  const read = readClaims(text);
  const quoted = quotedSummaries(text);
  const all = [
    ...read.slice(0, MAX_CLAIMS).map((claim) => ({ claim: claim.text, ...judge(claim, session) })),
    ...madeOutputs(quoted.slice(0, MAX_CLAIMS), calls),
    ...[read, quoted].flatMap(({ length }) => (length > MAX_CLAIMS ? [unchecked(length)] : [])),
  ];
  return { claims: all, ok: all.every(({ verdict }) => verdict === 'backed') };
}

function judge(claim: Claim, session: Session): Verdict {
  if (claim.kind === 'read') return judgeRead(claim.names, session);
  if (claim.kind === 'ran') return judgeRan(claim, session);
  if (claim.kind === 'tried') return judgeTried(claim, session);
  return judgeCheck(
    claim,
    session,
    session.runs.filter(({ check }) => check.kind === claim.kind),
  );
}

const notBacked = (reason: string, call?: EvidenceCall): Verdict => ({
  verdict: 'not-backed',
  reason,
  ...(call === undefined ? {} : { call: call.id }),
});
const contradicted = (reason: string, call: EvidenceCall): Verdict => ({ verdict: 'contradicted', reason, call: call.id });

function judgeCheck(claim: Claim, session: Session, runs: readonly Run[]): Verdict {
  const newest = runs.at(-1);
  if (newest === undefined) return notBacked(`No command ran that checks this (${claim.kind}).`);
  // A narrower run after the whole one says nothing about the rest, and a failing one says something.
  const failing = runs.filter(({ index }) => index >= newest.index).find((run) => outcomeProblem(run) !== undefined);
  const whole = runs.filter(({ check }) => check.only === undefined);
  const run = isNarrowed(newest, claim, session) ? (whole.at(-1) ?? newest) : newest;
  const problem = (failing === undefined ? undefined : outcomeProblem(failing)) ?? problemOf(run, claim, session);
  if (problem !== undefined) return problem;
  return { verdict: 'backed', reason: `${short(run.command.line)} succeeded.`, call: run.call.id };
}

const isNarrowed = ({ check, command }: Run, claim: Claim, { text }: Session): boolean =>
  check.only !== undefined && (claim.isWhole || !namesLimit(text, check.only, command.line));

/** Whether a text says to what a run was limited. */
function namesLimit(text: string, only: string, line: string): boolean {
  if (text.includes(line)) return true;
  const words = only.split(/[\s=]+/u).filter((word) => !word.startsWith('-') && word !== '');
  return words.some(
    (word) =>
      text.includes(word) ||
      text.includes(word.replace(/^.*\//u, '')) ||
      text.includes(word.replace(/^.*\//u, '').replace(/\.(?:test|spec)?\.?\w+$/u, '')),
  );
}

/** How a run ended, if that contradicts any claim of success. */
function outcomeProblem({ call, command, part }: Run): Verdict | undefined {
  if (command.isEdited === true) return contradicted('The output in the session is not the one that was recorded.', call);
  if (command.job?.runs === true) return notBacked(`${short(command.line)} still runs.`, call);
  if (!call.ok) return contradicted(`${short(command.line)} did not run to its end.`, call);
  if (part.counts && command.exitCode !== 0) return contradicted(`${short(command.line)} failed: ${exitText(command.exitCode)}.`, call);
  return undefined;
}

const exitText = (code: number | null): string => (code === null ? 'it was ended' : `exit code ${code}`);

/** Why a run does not back a claim. */
function problemOf(run: Run, claim: Claim, session: Session): Verdict | undefined {
  const { call, command, part, check } = run;
  const ended = outcomeProblem(run);
  if (ended !== undefined) return ended;
  if (!part.counts) return notBacked(`The exit code of ${short(command.line)} is not that of the check: something after it hides a failure.`, call);
  if (isNarrowed(run, claim, session)) return notBacked(`Only ${check.only ?? 'a part'} was checked.`, call);
  return (
    outputProblem(run, claim, session) ??
    folderProblem(run, session) ??
    laterProblem(run, session) ??
    (check.kind === 'tests' ? weakened(run, session) : undefined)
  );
}

const CLAIMS_NO_WARNINGS = /\bno warnings?\b|\bwithout (?:any )?warnings?\b|\b0 warnings?\b|\bclean\b/iu;
const WARNINGS = /\b[1-9]\d* warnings?\b/iu;

/** Why the output of a run does not back a claim. */
function outputProblem(run: Run, claim: Claim, session: Session): Verdict | undefined {
  const { call, command, check } = run;
  const { output } = command;
  if (output === undefined) return undefined;
  if (isEmptyScript(output)) return notBacked(`${short(command.line)} runs a script that does nothing.`, call);
  if (/--if-present\b/u.test(command.line) && output.trim() === '') return notBacked('There is no such script, so nothing ran.', call);
  if (check.kind === 'tests') return testsProblem(run, output, claim, session);
  if (CLAIMS_NO_WARNINGS.test(claim.text) && WARNINGS.test(output)) return contradicted(`${short(command.line)} printed warnings.`, call);
  return undefined;
}

/** Why the numbers of tests in the output of a run do not back a claim. */
function testsProblem({ call, command }: Run, output: string, { count, isWhole }: Claim, { text }: Session): Verdict | undefined {
  const { passed, failed = 0, skipped = 0, isEmpty } = testSummary(output);
  if (isEmpty) return notBacked(`${short(command.line)} ran no tests.`, call);
  if (failed > 0) return contradicted(`The output of ${short(command.line)} names ${failed} failed.`, call);
  if (count !== undefined && passed !== undefined && count !== passed && count !== passed + skipped)
    return contradicted(`${passed} passed, not ${count}.`, call);
  const countsSkipped = isWhole || (count !== undefined && count !== passed);
  if (skipped > 0 && countsSkipped && !SKIP_TOLD.test(text)) return notBacked(`${skipped} tests were skipped, which is not said.`, call);
  return undefined;
}

const SKIP_TOLD = /\bskip|\bpending\b|\bignored\b|\bdisabled\b|\btodo\b/iu;

function folderProblem({ call, part, check, command }: Run, { calls, text }: Session): Verdict | undefined {
  const folder = part.folder === undefined ? undefined : check.folder === undefined ? part.folder : joinFolder(part.folder, check.folder);
  if (folder === '.' || (folder !== undefined && text.includes(folder))) return undefined;
  if (folder === undefined) return text.includes(command.line) ? undefined : notBacked('It is not known in which folder it ran.', call);
  const changed = calls.flatMap(({ changes }) => changes.map(({ path }) => path));
  if (changed.length > 0 && changed.every((path) => path.startsWith(`${folder}/`))) return undefined;
  return notBacked(`It ran in ${folder}, not in the whole project.`, call);
}

const joinFolder = (above: string, below: string): string => (above === '.' ? below : `${above}/${below}`).replace(/\/\.$|^\.\//gu, '');

/** Whether files changed after a run. */
function laterProblem({ call, command, index }: Run, { calls }: Session): Verdict | undefined {
  if (command.changedMeanwhile !== undefined) return notBacked(`${command.changedMeanwhile} changed while ${short(command.line)} ran.`, call);
  if (command.isCurrent === true) return undefined;
  const later = calls.slice(index + 1).find(({ changes }) => changes.length > 0);
  const path = later?.changes[0]?.path;
  if (path !== undefined) return notBacked(`${short(command.line)} ran before the last change of ${path}.`, call);
  return command.isCurrent === false ? notBacked(`Files changed after ${short(command.line)} ran.`, call) : undefined;
}

const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.[^/]+$|_test\.\w+$|(?:Test|Tests|Spec)\.\w+$/u;
const SKIPS =
  /\b(?:it|test|describe|context|suite)\.(?:skip|only|todo)\b|\bx(?:it|describe|test)\b|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip|Ignore|Disabled|skip)|\bpytest\.skip\(|\bt\.Skip\w*\(|#\[ignore|\bpending\(|\.skip\(|\bskip(?:Test)?\(|exclude\s*:/u;

/** Whether tests were deleted or turned off in the session without a word about it. */
function weakened(run: Run, session: Session): Verdict | undefined {
  const tells = /\b(?:skip|delet|remov|disabl|drop|ignor|exclud)\w*/iu.test(session.text);
  return tells ? undefined : (changedTests(session) ?? fewerTests(run, session));
}

const TEST_SETTINGS = /config\.\w+$|\.toml$|\.ini$|\.cfg$|package\.json$/u;

/** Whether a call deleted tests, or wrote something that skips them. */
function changedTests({ calls }: Session): Verdict | undefined {
  for (const { id, changes } of calls) {
    const deleted = changes.find(({ path, isDeleted }) => isDeleted && TEST_FILE.test(path));
    if (deleted !== undefined) return { verdict: 'not-backed', reason: `The test ${deleted.path} was deleted, which is not said.`, call: id };
    const skipped = changes.find(({ path, added }) => added !== undefined && SKIPS.test(added) && (TEST_FILE.test(path) || TEST_SETTINGS.test(path)));
    if (skipped !== undefined) return { verdict: 'not-backed', reason: `Tests in ${skipped.path} were skipped, which is not said.`, call: id };
  }
  return undefined;
}

/** Whether an earlier run of the same command ran more tests, or skipped fewer. */
function fewerTests({ call, command, part }: Run, { runs }: Session): Verdict | undefined {
  const mine = testSummary(command.output ?? '');
  const earlier = runs.filter(
    (run) => run.call.id !== call.id && run.part.words.join(' ') === part.words.join(' ') && run.command.output !== undefined,
  );
  for (const run of earlier) {
    const was = testSummary(run.command.output ?? '');
    const [before, now] = [total(was), total(mine)];
    if (before !== undefined && now !== undefined && now < before)
      return notBacked(`${before - now} fewer tests ran than before, which is not said.`, call);
    const more = (mine.skipped ?? 0) - (was.skipped ?? 0);
    if (more > 0) return notBacked(`${more} more tests were skipped than before, which is not said.`, call);
  }
  return undefined;
}

const total = ({ passed, failed, skipped }: ReturnType<typeof testSummary>): number | undefined =>
  passed === undefined ? undefined : passed + (failed ?? 0) + (skipped ?? 0);

function judgeRead(names: readonly string[], { calls, root }: Session): Verdict {
  const read = new Map<string, EvidenceCall>();
  for (const call of calls)
    if (call.ok) for (const path of [...call.reads, ...call.changes.map((change) => change.path)]) read.set(plainPath(path, root), call);
  let by: EvidenceCall | undefined;
  for (const name of names) {
    const wanted = plainPath(name, root).replace(/\/$/u, '');
    const found = [...read.keys()].find((path) => isSameFile(path, wanted));
    if (found === undefined) return notBacked(`No call read ${name}.`);
    by = read.get(found);
  }
  return { verdict: 'backed', reason: 'It was read.', ...(by === undefined ? {} : { call: by.id }) };
}

function isSameFile(path: string, wanted: string): boolean {
  if (path === wanted || path.endsWith(`/${wanted}`) || path.startsWith(`${wanted}/`)) return true;
  const stem = wanted.includes('.') || wanted.includes('/') ? undefined : wanted.toLowerCase();
  return stem !== undefined && path.replace(/^.*\//u, '').toLowerCase().replace(/\.md$/u, '') === stem;
}

const normal = (line: string): string => line.trim().replaceAll(/\s+/gu, ' ');

function judgeRan(claim: Claim, session: Session): Verdict {
  let last: EvidenceCall | undefined;
  for (const name of claim.names) {
    const wanted = commandParts(name).map(({ words }) => words.join(' '));
    const ran = session.calls.flatMap((call, index) => {
      if (call.command === undefined) return [];
      const parts = commandParts(call.command.line, call.command.folder);
      const matching = parts.filter(({ words }) =>
        wanted.some((one) => one !== '' && (words.join(' ') === one || words.join(' ').startsWith(`${one} `))),
      );
      const isIt =
        normal(call.command.line) === normal(name) ||
        (matching.length > 0 && wanted.every((one) => parts.some(({ words }) => words.join(' ').startsWith(one))));
      return isIt
        ? [{ call, command: call.command, index, counts: normal(call.command.line) === normal(name) || matching.every(({ counts }) => counts) }]
        : [];
    });
    const newest = ran.at(-1);
    if (newest === undefined) return notBacked(`No call ran ${short(name)}.`);
    last = newest.call;
    if (!claim.succeeded) continue;
    if (newest.command.isEdited === true) return contradicted('The output in the session is not the one that was recorded.', newest.call);
    if (newest.command.job?.runs === true) return notBacked(`${short(name)} still runs.`, newest.call);
    if (!newest.call.ok || newest.command.exitCode !== 0)
      return contradicted(`${short(name)} failed: ${exitText(newest.command.exitCode)}.`, newest.call);
    if (!newest.counts) return notBacked(`The exit code of ${short(newest.command.line)} is not that of ${short(name)}.`, newest.call);
    const { changedMeanwhile } = newest.command;
    if (changedMeanwhile !== undefined) return notBacked(`${changedMeanwhile} changed while ${short(name)} ran.`, newest.call);
    const later = newest.command.isCurrent === true ? undefined : session.calls.slice(newest.index + 1).find(({ changes }) => changes.length > 0);
    if (later !== undefined) return notBacked(`${short(name)} ran before the last change of ${later.changes[0]?.path}.`, newest.call);
  }
  return { verdict: 'backed', reason: 'It ran.', ...(last === undefined ? {} : { call: last.id }) };
}

/** Something was tried: a command that succeeded after the last change. */
function judgeTried(claim: Claim, session: Session): Verdict {
  if (claim.names.length > 0) return judgeRan({ ...claim, succeeded: true }, session);
  const last = session.calls.findLastIndex(({ changes }) => changes.length > 0);
  // A server that was started for the trial, and stopped after it, is not what was tried.
  const tried = session.calls
    .slice(last + 1)
    .findLast(({ ok, command }) => ok && command !== undefined && (command.job === undefined || command.exitCode !== null));
  const own = session.calls[last];
  const run = tried ?? (own?.command === undefined ? undefined : own);
  if (run?.command === undefined) return notBacked('No command ran after the last change.');
  if (!run.ok || run.command.exitCode !== 0) return contradicted(`${short(run.command.line)} failed: ${exitText(run.command.exitCode)}.`, run);
  return { verdict: 'backed', reason: `${short(run.command.line)} succeeded.`, call: run.id };
}

/** The quoted lines that no call printed. */
function madeOutputs(lines: readonly string[], calls: readonly EvidenceCall[]): CheckedClaim[] {
  if (lines.length === 0) return [];
  const outputs = calls.flatMap(({ command }) =>
    command?.output === undefined ? [] : [stripVTControlCharacters(command.output).replaceAll(/\s+/gu, ' ')],
  );
  return lines
    .filter((line) => !outputs.some((output) => output.includes(line)))
    .map((line) => ({ claim: line, verdict: 'contradicted', reason: 'No call printed this output.' }));
}

const SHORT = 80;
const short = (line: string): string => (normal(line).length > SHORT ? `${normal(line).slice(0, SHORT)}…` : normal(line));
