import { describeData, describeInput } from '../tool/describe-input.ts';
import type { AnyTool } from '../tool/tool.ts';
import { nearest } from '../text/nearest.ts';

/** Maximum number of tools in a list. Servers may have thousands. */
const MAX_LISTED = 100;
/** Maximum number of characters of the types, and of the description, of one tool: those of a server may be of any length. */
const MAX_TYPES = 6_000;
const MAX_DESCRIPTION = 2_000;
/** Maximum number of characters of a description in a list. */
const MAX_SUMMARY = 200;

/** Maximum number of characters of what a program asks: each word is looked for in each tool, in the process of all sessions. */
const MAX_ASKED = 1_000;

/** A name without what programs write it with: `hands.readFile` is `read_file`. */
const plain = (name: string): string =>
  name
    .replace(/^hands\./u, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const textOf = ({ name, description }: AnyTool): string => `${name} ${description}`.toLowerCase();

/** Whether a name cannot be written as `hands.NAME`, as that of a tool of an MCP server. */
const isElsewhere = ({ name }: AnyTool): boolean => name.includes(':');
const HOW = 'Call a tool whose name has colons as hands.call(NAME, input).';

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most).toWellFormed()} …` : text);

function listed(tools: readonly AnyTool[]): string {
  const lines = tools.slice(0, MAX_LISTED).map(({ name, description }) => `${name}: ${cut(description.split('. ')[0] ?? '', MAX_SUMMARY)}`);
  const more = tools.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : []), ...(tools.some(isElsewhere) ? [HOW] : [])].join('\n');
}

function typed(tool: AnyTool): string {
  const input = cut(describeInput(tool), MAX_TYPES);
  const call = isElsewhere(tool) ? `hands.call(${JSON.stringify(tool.name)}, ${input.slice(tool.name.length).trimStart()})` : input;
  return `${cut(tool.description, MAX_DESCRIPTION)}\n${call}\n→ ${cut(describeData(tool), MAX_TYPES)}`;
}

const described = (tools: readonly AnyTool[]): string => {
  const [only] = tools;
  return only !== undefined && tools.length === 1 ? typed(only) : listed(tools);
};

/** The tools of which a text has a word: as a whole, else as a part. */
function about(tools: readonly AnyTool[], words: readonly string[]): readonly AnyTool[] {
  const whole = tools.filter((tool) => {
    const own = new Set(wordsOf(textOf(tool)));
    return words.some((word) => own.has(word));
  });
  return whole.length > 0 ? whole : tools.filter((tool) => words.some((word) => textOf(tool).includes(word)));
}

/** What a program can call. */
export interface CallableByProgram {
  readonly listed: readonly AnyTool[];
  /** Those of servers with too many tools to list them. */
  readonly unlisted: readonly AnyTool[];
}

/** Describes the tool that a text names, however it is written, or that alone is about its words; lists those of which several are. */
export function helpFor({ listed: tools, unlisted }: CallableByProgram, asked: string): string {
  const text = asked.slice(0, MAX_ASKED).toWellFormed();
  const words = wordsOf(text);
  if (words.length === 0) return listed(tools);
  const all = [...tools, ...unlisted];
  const named = all.find(({ name }) => name === text) ?? all.find(({ name }) => plain(name) === plain(text));
  if (named !== undefined) return typed(named);
  // Words of such a name say little: each tool of the server has most of them.
  if (/^mcp(?::|__)/u.test(text)) {
    const below = all.filter(({ name }) => name.startsWith(`${text.replace(/^mcp__/u, 'mcp:').replace(/:$/u, '')}:`));
    if (below.length > 0) return described(below);
    const near = new Set(
      nearest(
        text,
        all.filter(isElsewhere).map(({ name }) => name),
      ),
    );
    if (near.size > 0) return described(all.filter(({ name }) => near.has(name)));
  }
  const found = about(tools, words);
  if (found.length > 0) return described(found);
  const elsewhere = tools.filter(({ otherNames = [] }) => otherNames.some((name) => plain(name) === plain(text)));
  if (elsewhere.length > 0) return described(elsewhere);
  const hidden = about(unlisted, words);
  if (hidden.length > 0) return described(hidden);
  const names = tools.slice(0, MAX_LISTED).map(({ name }) => name);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : '';
  return `No tool is about ${JSON.stringify(text.slice(0, 100))}. The tools are: ${names.join(', ')}${more}`;
}
