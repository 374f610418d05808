/** An inline element. Markup and images are not supported; unknown syntax is shown as text. */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'deleted'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] };

/** Addresses that a link may open, in a new tab. */
const SAFE = /^(?:https?:\/\/|mailto:)[^\s<>"'\p{Cc}]+$/iu;
/** Maximum nesting. Deeper nesting is an attempt to slow down the parser. */
const MAX_DEPTH = 6;
const MAX_LINE = 20_000;

/** Inline syntax. Each pattern is tried at its position; otherwise the character is text. */
const PATTERNS: ReadonlyArray<readonly [RegExp, (found: RegExpExecArray, depth: number) => Inline]> = [
  [/^(`+)(?!`)([^]{1,600}?)(?<!`)\1(?!`)/u, ([, , text = '']) => ({ type: 'code', text: text.trim() })],
  // Showing an image would fetch it from elsewhere, so only its name is shown.
  [/^!\[([^\]]{0,500})\]\(([^)\s]{0,2000})[^)]{0,200}\)/u, ([, alt = '']) => ({ type: 'text', text: `[image: ${alt}]` })],
  [
    /^\[([^\]]{1,500})\]\(([^)\s]{1,2000})(?:\s[^)]{0,200})?\)/u,
    ([, label = '', href = ''], depth) =>
      SAFE.test(href) ? { type: 'link', href, children: parseInline(label, depth + 1) } : { type: 'text', text: label },
  ],
  [
    /^<(https?:\/\/[^\s<>]{1,2000})>/u,
    ([, href = '']) => (SAFE.test(href) ? { type: 'link', href, children: [{ type: 'text', text: href }] } : { type: 'text', text: href }),
  ],
  [/^(\*\*|__)(?=\S)([^]{0,600}?\S)\1/u, ([, , text = ''], depth) => ({ type: 'strong', children: parseInline(text, depth + 1) })],
  [/^(\*|_)(?=\S)([^*_]{0,600}?\S)\1(?![\w*])/u, ([, , text = ''], depth) => ({ type: 'emphasis', children: parseInline(text, depth + 1) })],
  [/^~~(?=\S)([^~]{1,600})~~/u, ([, text = ''], depth) => ({ type: 'deleted', children: parseInline(text, depth + 1) })],
  [/^\\([!-/:-@[-`{-~])/u, ([, character = '']) => ({ type: 'text', text: character })],
];

const STARTS = /[`!<*_~\\[]/u;

/** Parses the text of a line. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  if (depth > MAX_DEPTH || text.length > MAX_LINE) return [{ type: 'text', text }];
  const pieces: Inline[] = [];
  let plain = '';
  for (let at = 0; at < text.length;) {
    const found = STARTS.test(text.charAt(at)) ? matchAt(text, at, depth) : undefined;
    if (found === undefined) {
      plain += text.charAt(at);
      at += 1;
      continue;
    }
    if (plain !== '') pieces.push({ type: 'text', text: plain });
    plain = '';
    pieces.push(found.piece);
    at += found.length;
  }
  if (plain !== '') pieces.push({ type: 'text', text: plain });
  return pieces;
}

function matchAt(text: string, at: number, depth: number): { readonly piece: Inline; readonly length: number } | undefined {
  // Names such as `read_file` are not emphasis.
  if (text.charAt(at) === '_' && /\w/u.test(text.charAt(at - 1))) return undefined;
  const rest = text.slice(at, at + 2_700);
  for (const [pattern, make] of PATTERNS) {
    const found = pattern.exec(rest);
    if (found !== null) return { piece: make(found, depth), length: found[0].length };
  }
  return undefined;
}
