import * as z from 'zod';
import { Confidence, type Attribution } from './attribution.ts';
import { parseYaml } from '../parse-yaml.ts';
import { parseBasedOn } from './based-on.ts';

/** A parsed report. */
export interface ParsedReport {
  readonly attribution: Attribution;
  /** The place of the attribution. For `none` the attribution is empty. */
  readonly source: 'front-matter' | 'based-on' | 'none';
  /** The Markdown without front matter. */
  readonly body: string;
}

/** Maximum characters of front matter to search for its end. */
const MAXIMUM_FRONT_MATTER = 64 * 1024;

/** Accepts what models write, such as `High`, missing fields, or numbers as text. */
const LooseFrontMatter = z.object({
  attribution: z.object({
    files_read: z.preprocess((value) => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []), z.array(z.string())),
    tool_calls: z.record(z.string(), z.coerce.number().int().nonnegative()).catch({}),
    confidence: z.preprocess((value) => (typeof value === 'string' ? value.trim().toLowerCase() : value), Confidence.catch('low')),
  }),
});

/** Maximum number of dash lines to try as the start of front matter. A report may also contain horizontal rules. */
const MAXIMUM_OPENINGS = 20;
const OPENING = /^(?<fence>```[a-z]*[ \t]*\r?\n)?---[ \t]*\r?\n/gmu;

/** Yields each candidate for front matter, in order. Models often write a sentence before it, or wrap it in a fence. */
function* frontMatters(markdown: string): Generator<{ yaml: string; body: string }> {
  const text = markdown.replace(/^\uFEFF/u, '');
  let tried = 0;
  for (const opening of text.matchAll(OPENING)) {
    tried += 1;
    if (tried > MAXIMUM_OPENINGS) return;
    const start = opening.index + opening[0].length;
    const closing = /^---[ \t]*$/mu.exec(text.slice(start, start + MAXIMUM_FRONT_MATTER));
    if (closing === null) continue;
    const before = text.slice(0, opening.index).trim();
    const after = text.slice(start + closing.index + closing[0].length).replace(/^\s*\n/u, '');
    const rest = opening.groups?.['fence'] === undefined ? after : after.replace(/\n```\s*$/u, '\n');
    yield { yaml: text.slice(start, start + closing.index), body: before === '' ? rest : `${before}\n\n${rest}` };
  }
}

async function parseFrontMatter(yaml: string): Promise<Attribution | undefined> {
  try {
    const parsed = LooseFrontMatter.safeParse(await parseYaml(yaml));
    return parsed.success ? parsed.data.attribution : undefined;
  } catch {
    // Not YAML. A later candidate or the fallback may still match.
    return undefined;
  }
}

/**
 * Parses the attribution of a report from its front matter, or from its `Based on: …` lines. Never throws.
 *
 * @example
 * const { attribution, body } = await parseReport(report);
 */
export async function parseReport(markdown: string): Promise<ParsedReport> {
  for (const { yaml, body } of frontMatters(markdown)) {
    const attribution = await parseFrontMatter(yaml);
    if (attribution !== undefined) return { attribution, source: 'front-matter', body };
  }
  const body = markdown;
  const basedOn = parseBasedOn(body);
  return basedOn === undefined
    ? { attribution: { files_read: [], tool_calls: {}, confidence: 'low' }, source: 'none', body }
    : { attribution: basedOn, source: 'based-on', body };
}
