import * as z from 'zod';
import { Confidence, type Attribution } from './attribution.ts';
import { parseYaml } from '../parse-yaml.ts';
import { parseBasedOn } from './based-on.ts';

/** A report taken apart. */
export interface ParsedReport {
  readonly attribution: Attribution;
  /** Where the attribution was found; `none` where the report has none, and the attribution is empty. */
  readonly source: 'front-matter' | 'based-on' | 'none';
  /** The Markdown without front matter. */
  readonly body: string;
}

/** Characters in which the end of the front matter is looked for. */
const MAXIMUM_FRONT_MATTER = 64 * 1024;

/** A model writes `High`, leaves fields out or gives a number as text: what can be read is taken. */
const LooseFrontMatter = z.object({
  attribution: z.object({
    files_read: z.preprocess((value) => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []), z.array(z.string())),
    tool_calls: z.record(z.string(), z.coerce.number().int().nonnegative()).catch({}),
    confidence: z.preprocess((value) => (typeof value === 'string' ? value.trim().toLowerCase() : value), Confidence.catch('low')),
  }),
});

/** Lines of dashes that are tried as the beginning of front matter: a report may have rules of its own. */
const MAXIMUM_OPENINGS = 20;
const OPENING = /^(?<fence>```[a-z]*[ \t]*\r?\n)?---[ \t]*\r?\n/gmu;

/** Each place where front matter may stand, the first first: models like to say a word before it, or wrap all in a fence. */
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
    // Not YAML after all: the fall-back may still find something.
    return undefined;
  }
}

/**
 * Reads the attribution of a report: its front matter, or else its lines `Based on: …`. Never throws.
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
