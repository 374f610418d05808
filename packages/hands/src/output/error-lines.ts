import type { ErrorLine } from './cut-text.ts';

/** Messages of compilers, test runners and shells about errors. `TypeError` must match too, so there is no word boundary before `error`. */
const LOOKS_LIKE_ERROR =
  /(?:error|exception|failure)s?\b|\b(?:fail(?:ed|s)?|fatal|panic(?:ked)?|traceback|assert(?:ion)?|undefined reference|cannot|not found|denied|segmentation fault|E\d{4})\b|[✗✘✖]/iu;
/** Maximum number of UTF-16 units of a line that are checked and kept. */
const MAX_LINE = 400;
/** Maximum number of error lines in each of the two lists. The first errors say most about the cause. */
const MAX_LINES = 40;
/** Number of lines kept after each error: the expected value, and the location. */
const AFTER = 3;

/** How test runners and build tools report their totals: a line that begins like one of these. */
const TOTALS = [
  // vitest, jest
  String.raw`(?:Test Files|Test Suites|Tests|Snapshots)\b:?[ \t]+\d+ (?:passed|failed|skipped|todo|total|obsolete|written|pending)`,
  // node:test, TAP
  String.raw`(?:ℹ|#)[ \t]+(?:tests|pass|fail|suites|cancelled|skipped|todo|ok)\b[ \t]*\d*`,
  String.raw`1\.\.\d+[ \t]*$`,
  // mocha, Playwright, bun, AVA
  String.raw`\d+ (?:passing|failing|pending|flaky|did not run)\b`,
  String.raw`\d+ (?:pass|fail|passed|failed|skipped)(?:[ \t]*$|[ \t]*[(,])`,
  String.raw`\d+ tests? (?:passed|failed|completed)`,
  // pytest
  // The spaces need the signs before them: two repetitions of the same characters take quadratic time.
  String.raw`(?:=+[ \t]*)?\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)\b[^\n]* in [\d.]+ ?s`,
  // cargo, deno
  'test result: ',
  String.raw`(?:ok|FAILED) \| \d+ passed`,
  // go
  String.raw`ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))`,
  String.raw`(?:PASS|FAIL)[ \t]*$`,
  // PHPUnit, RSpec, Minitest, unittest, ExUnit
  String.raw`OK(?:[ \t]*$|,? \()`,
  String.raw`FAILED \(`,
  String.raw`Tests: \d+, Assertions: \d+`,
  String.raw`\d+ examples?, \d+ failures?`,
  String.raw`\d+ (?:runs|tests|doctests?), \d+ (?:assertions|failures|tests)`,
  String.raw`Ran \d+ tests? `,
  // Surefire, Gradle, .NET, CTest, XCTest
  String.raw`(?:\[\w+\] )?Tests run: \d+`,
  String.raw`(?:\[\w+\] )?BUILD (?:SUCCESS|FAIL)\w*`,
  String.raw`(?:Passed|Failed)![ \t]+- `,
  String.raw`Total tests: \d+`,
  String.raw`\d+% tests passed`,
  String.raw`Executed \d+ tests?`,
].join('|');
const LOOKS_LIKE_TOTAL = new RegExp(String.raw`^[ \t]*(?:${TOTALS})`, 'u');
/** Maximum number of lines with totals. The last ones are of the whole run. */
const MAX_TOTALS = 12;

/** Whether a line reports the totals of tests or of a build. */
export function looksLikeTotal(line: string): boolean {
  return LOOKS_LIKE_TOTAL.test(line.slice(0, MAX_LINE));
}

/** Whether a line looks like an error. */
export function looksLikeError(line: string): boolean {
  return LOOKS_LIKE_ERROR.test(line.slice(0, MAX_LINE));
}

/** A list of kept lines, and the number of them that look like errors. */
interface Place {
  readonly lines: ErrorLine[];
  errors: number;
}

/** Finds the lines of a text that look like errors, with the lines after them. The text may arrive in any pieces. */
export class ErrorLines {
  readonly #pattern = new RegExp(LOOKS_LIKE_ERROR, 'giu');
  readonly #totalPattern = new RegExp(String.raw`^[ \t]*(?:${TOTALS})`, 'gmu');
  readonly #totals: ErrorLine[] = [];
  readonly #from: number;
  readonly #early: Place = { lines: [], errors: 0 };
  readonly #late: Place = { lines: [], errors: 0 };
  /** The beginning of an incomplete line, and its offset. */
  #partial = '';
  #partialAt = 0;
  #length = 0;
  /** Number of next lines to keep after an error, and the list of that error. */
  #owed = 0;
  #owedTo = this.#early;

  /** @param from number of UTF-16 units at the beginning that are shown anyway; errors there do not enter the second list */
  constructor(from: number) {
    this.#from = from;
  }

  get found(): readonly ErrorLine[] {
    return [...this.#early.lines, ...this.#late.lines];
  }

  /** The last lines that report totals. */
  get totals(): readonly ErrorLine[] {
    return this.#totals;
  }

  take(text: string): void {
    const offset = this.#length;
    this.#length += text.length;
    const first = text.indexOf('\n');
    if (first === -1) {
      this.#grow(text);
      return;
    }
    this.#grow(text.slice(0, Math.min(first, MAX_LINE)));
    if (looksLikeTotal(this.#partial)) this.#keepTotal(this.#partialAt, this.#partial);
    if (!this.#isFull()) this.#judge(this.#partialAt, this.#partial);
    const last = text.lastIndexOf('\n');
    // One search over all lines. A search per line takes ten times as long.
    const lines = text.slice(first + 1, last + 1);
    this.#findTotals(lines, offset + first + 1);
    for (let next = 0; next < lines.length && !this.#isFull();) {
      const start = this.#owed > 0 ? next : this.#nextMatch(lines, next);
      if (start === undefined) break;
      const end = lines.indexOf('\n', start);
      this.#judge(offset + first + 1 + start, lines.slice(start, Math.min(end, start + MAX_LINE)));
      next = end + 1;
    }
    this.#partial = text.slice(last + 1, last + 1 + MAX_LINE);
    this.#partialAt = offset + last + 1;
  }

  #findTotals(lines: string, offset: number): void {
    this.#totalPattern.lastIndex = 0;
    for (let match = this.#totalPattern.exec(lines); match !== null; match = this.#totalPattern.exec(lines)) {
      const end = lines.indexOf('\n', match.index);
      this.#keepTotal(offset + match.index, lines.slice(match.index, end === -1 ? undefined : end));
      this.#totalPattern.lastIndex = end === -1 ? lines.length : end + 1;
    }
  }

  #keepTotal(at: number, line: string): void {
    // Copied, because a substring keeps the whole string in memory.
    this.#totals.push({ at, text: Buffer.from(line.slice(0, MAX_LINE).trimEnd(), 'utf8').toString('utf8') });
    if (this.#totals.length > MAX_TOTALS) this.#totals.shift();
  }

  /** Returns the offset of the next line that looks like an error. */
  #nextMatch(lines: string, from: number): number | undefined {
    this.#pattern.lastIndex = from;
    const match = this.#pattern.exec(lines);
    return match === null ? undefined : lines.lastIndexOf('\n', match.index) + 1;
  }

  #isFull(): boolean {
    return this.#late.errors >= MAX_LINES && this.#owed === 0;
  }

  #grow(text: string): void {
    if (this.#partial.length < MAX_LINE) this.#partial += text.slice(0, MAX_LINE - this.#partial.length);
  }

  #judge(at: number, line: string): void {
    const isError = looksLikeError(line);
    if (isError) {
      const place = this.#early.errors < MAX_LINES ? this.#early : this.#late;
      const isKept = place.errors < MAX_LINES && (place === this.#early || at >= this.#from);
      this.#owed = isKept ? AFTER + 1 : 0;
      this.#owedTo = place;
      if (isKept) place.errors += 1;
    }
    if (this.#owed === 0) return;
    this.#owed -= 1;
    // A line cut by length may end with half a pair. Copy the line, because a substring keeps the whole string in memory.
    this.#owedTo.lines.push({ at, text: Buffer.from(line.trimEnd(), 'utf8').toString('utf8') });
  }
}
