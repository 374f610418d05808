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

function splitFrontMatter(markdown: string): { yaml: string; body: string } | undefined {
  // Models like to wrap a document in a fence.
  const opening = /^\uFEFF?\s*(```[a-z]*[ \t]*\r?\n)?---[ \t]*\r?\n/u.exec(markdown);
  if (opening === null) return undefined;
  const start = opening[0].length;
  const closing = /^---[ \t]*$/mu.exec(markdown.slice(start, start + MAXIMUM_FRONT_MATTER));
  if (closing === null) return undefined;
  const rest = markdown.slice(start + closing.index + closing[0].length).replace(/^\s*\n/u, '');
  return { yaml: markdown.slice(start, start + closing.index), body: opening[1] === undefined ? rest : rest.replace(/\n```\s*$/u, '\n') };
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
  const split = splitFrontMatter(markdown);
  const attribution = split === undefined ? undefined : await parseFrontMatter(split.yaml);
  const body = split?.body ?? markdown;
  if (attribution !== undefined) return { attribution, source: 'front-matter', body };
  const basedOn = parseBasedOn(body);
  return basedOn === undefined
    ? { attribution: { files_read: [], tool_calls: {}, confidence: 'low' }, source: 'none', body }
    : { attribution: basedOn, source: 'based-on', body };
}
