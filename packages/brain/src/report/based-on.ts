import { Confidence, type Attribution } from './attribution.ts';

const BASED_ON = /^[ \t>*_-]*based on[*_]*:[*_ \t]*(\S.*)$/gimu;
const CONFIDENCE = /^[ \t>*_-]*confidence[*_]*:[*_ \t]*(high|medium|low)\b/imu;
const TOOL_NAME = /^[a-z]+(?:_[a-z]+)+$/u;
const TIMES = /[(×x]\s*(\d+)\s*\)?$/u;

/** Splits a list at commas, except commas in code spans. */
function items(list: string): string[] {
  const found: string[] = [''];
  for (const [part] of list.matchAll(/(`+)[^`](?:.*?[^`])??\1(?!`)|[^`,]+|,|`+/gu)) {
    if (part === ',') found.push('');
    else found.push((found.pop() ?? '') + part);
  }
  return found.map((item) => item.trim()).filter((item) => item !== '');
}

/** Parses an item into a name and a count. */
function readItem(item: string): { name: string; times: number } {
  const span = /^(`+) ?(.*?) ?\1(?!`)(.*)$/u.exec(item);
  const after = (span?.[3] ?? item).replace(/\.$/u, '');
  const name = span?.[2] ?? after.replace(/\s+(?:\(.*\)|[×x]\s*\d+)$/u, '');
  return { name: name.trim(), times: Number(TIMES.exec(after.trim())?.[1] ?? 1) };
}

/** Parses the `Based on: …` lines of a report without front matter: tool names are calls, other names are files. */
export function parseBasedOn(markdown: string): Attribution | undefined {
  const files = new Set<string>();
  const calls = new Map<string, number>();
  const lines = [...markdown.matchAll(BASED_ON)];
  for (const [, list = ''] of lines) {
    for (const { name, times } of items(list).map(readItem)) {
      if (TOOL_NAME.test(name)) calls.set(name, times);
      else if (name !== '') files.add(name.replace(/:\d+$/u, ''));
    }
  }
  const confidence = Confidence.safeParse(CONFIDENCE.exec(markdown)?.[1]?.toLowerCase());
  return lines.length === 0 ? undefined : { files_read: [...files], tool_calls: Object.fromEntries(calls), confidence: confidence.data ?? 'low' };
}
