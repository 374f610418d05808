/** What stands between these is no text of the page. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head', 'title']);
/** Tags that end a line. */
const BREAKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
  const point = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point).toWellFormed() : whole;
}

/**
 * The text of HTML in one pass, without building a tree: for pages that are too large or too deep for one, and for who
 * wants no formatting. Its time is linear, whatever is left open.
 */
export function htmlText(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  // Once a tag is known not to be closed any more, it is not looked for again.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    parts.push(html.slice(at, end));
    if (open === -1) break;
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4);
      if (close === -1) break;
      at = close + 3;
      continue;
    }
    const name = /^<\/?([a-z][a-z\d]{0,15})/u.exec(lower.slice(open, open + 18))?.[1];
    if (name === undefined && !/^<[/!?]/u.test(html.slice(open, open + 2))) {
      parts.push('<');
      at = open + 1;
      continue;
    }
    const close = html.indexOf('>', open);
    if (close === -1) break;
    at = close + 1;
    if (name === undefined) continue;
    if (BREAKS.has(name)) parts.push('\n');
    if (SKIPPED.has(name) && html[open + 1] !== '/' && !unclosed.has(name)) {
      const past = lower.indexOf(`</${name}`, at);
      if (past === -1) unclosed.add(name);
      else at = past;
    }
  }
  return tidy(parts.join('').replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/giu, entity));
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\f\v\r]+/gu, ' ').trim());
  return `${lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()}\n`;
}
