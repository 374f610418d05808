import { describe, expect, it } from 'vitest';
import { parseStat, readProcess, type ProcessEntry } from './process-table.ts';
import { askable, treeOf } from './process-tree.ts';
import { ProcessTags, tagValue } from './hardening.ts';

const tags = new ProcessTags();

describe('parseStat', () => {
  const rest = 'S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 99 88';
  it.each([
    ['a plain name', `42 (sleep) ${rest}`],
    ['a name that looks like fields', `42 (a) S 1 1 1) ${rest}`],
    ['a name with a line end', `42 (a\nb) ${rest}`],
  ])('reads %s', (_, line) => {
    expect(parseStat(line)).toEqual({ pid: 42, state: 'S', isExiting: false, parent: 7, group: 8, session: 9, startTime: 12_345 });
  });

  it.each(['', 'nonsense', '42 (sleep', '42 (sleep) S 1'])('takes %j for nothing', (line) => {
    expect(parseStat(line)).toBeUndefined();
  });

  it('agrees with this process', () => {
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
    expect(readProcess(2 ** 30)).toBeUndefined();
  });
});

describe('treeOf', () => {
  const entry = (pid: number, parent: number, session: number, startTime = 100): ProcessEntry => ({
    pid,
    parent,
    session,
    group: session,
    startTime,
    state: 'S',
    isExiting: false,
  });
  const root = { pid: 50, startTime: 100, tag: tags.next() };
  it.each<[string, ProcessEntry[], number[], number[]]>([
    ['the root and its descendants', [entry(50, 1, 50), entry(51, 50, 51), entry(52, 51, 52)], [], [50, 51, 52]],
    ['its session after it ended', [entry(51, 1, 50)], [], [51]],
    ['what carries the tag, with its children', [entry(60, 1, 60), entry(61, 60, 61)], [60], [60, 61]],
    ['nothing of others', [entry(1, 0, 1, 1), entry(40, 1, 40, 90), entry(70, 1, 70)], [], []],
    ['nothing older than the root, whatever number its session has', [entry(51, 1, 50, 99)], [51], []],
    ['nothing of a process that got the number again', [entry(50, 1, 50, 200), entry(51, 50, 50, 201)], [], []],
    ['what is tagged even then', [entry(50, 1, 50, 200), entry(51, 1, 51, 150)], [51], [51]],
    ['no loop of parents', [entry(60, 61, 60), entry(61, 60, 61)], [], []],
  ])('finds %s', (_, table, tagged, expected) => {
    expect(treeOf(root, table, (pid) => tagged.includes(pid)).map(({ pid }) => pid)).toEqual(expected);
  });
});

describe('askable', () => {
  const entry = (pid: number, parent: number): ProcessEntry => ({ pid, parent, session: 1, group: 1, startTime: 1, state: 'S', isExiting: false });
  it.each<[string, ProcessEntry[], number[], number[]]>([
    ['all, where there is no namespace', [entry(50, 1), entry(51, 50)], [], [50, 51]],
    ['what runs in a sandbox', [entry(50, 1), entry(51, 50), entry(52, 51), entry(53, 52)], [51], [52, 53]],
    ['what runs in a sandbox in a sandbox', [entry(50, 1), entry(51, 50), entry(52, 51), entry(53, 52)], [51, 52], [53]],
    ['others beside a sandbox', [entry(50, 1), entry(51, 50), entry(52, 51), entry(53, 52)], [52], [50, 53]],
    ['nobody, where nothing runs in it yet', [entry(50, 1), entry(51, 50)], [51], []],
  ])('asks %s', (_, entries, inits, expected) => {
    expect(askable(entries, (pid) => inits.includes(pid)).map(({ pid }) => pid)).toEqual(expected);
  });
});

describe('tags', () => {
  it('differ, share their beginning, and fit where they are kept', () => {
    const some = Array.from({ length: 1_000 }, () => tags.next());
    expect(new Set(some.map(({ variable }) => variable)).size).toBe(1_000);
    expect(new Set(some.map(({ limit }) => limit)).size).toBe(1_000);
    for (const { variable, limit, limitKib } of some) {
      expect(variable.startsWith(tags.variablePrefix)).toBe(true);
      expect(limit).toMatch(new RegExp(`^${tags.limitPrefix}\\d{10}$`, 'u'));
      expect(Number.isSafeInteger(limitKib)).toBe(true);
      expect(BigInt(limit)).toBeLessThan(2n ** 63n);
    }
  });

  it('of calls within calls are all kept, up to a bound', () => {
    const tag = tags.next();
    expect(tagValue(tag, undefined)).toBe(tag.variable);
    expect(tagValue(tag, 'outer')).toBe(`outer,${tag.variable}`);
    expect(tagValue(tag, Array.from({ length: 100 }, (_, index) => index).join(',')).split(',')).toHaveLength(9);
  });
});
