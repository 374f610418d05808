/** Texts shorter than this are parsed in less than a millisecond, whatever they hold. */
export const SHORT_TEXT = 512;

/** What the parser reads again for each level that it is in: substitutions, and here documents that wait for their text. */
const OPENER = /\$[({]|[<>(]\(|`|<</gu;
/** The parser gives up at this depth. */
const MAX_LEVELS = 256;
/** The parser reads the rest of the line for each here document. */
const MAX_DOCUMENTS = 256;

/** A line without quotes, comments and substitutions that begins a here document in quotes: `cat > a.ts <<'EOF'`. */
const QUOTED_DOCUMENT = /^[ \w./:@%+,=>&|;-]*<<-?[ ]?(?:'([\w-]+)'|"([\w-]+)"|\\([\w-]+))[ \w./:@%+,=>&|;-]*\n/u;

/** Removes here documents in quotes from the start of a text: the shell changes nothing in them, so the parser does not look inside. */
function withoutDocuments(text: string): string {
  let rest = text;
  for (let index = 0; index < MAX_DOCUMENTS; index += 1) {
    const found = QUOTED_DOCUMENT.exec(rest.slice(0, SHORT_TEXT));
    if (found === null) break;
    const word = found[1] ?? found[2] ?? found[3] ?? '';
    const end = rest.indexOf(`\n${word}\n`, found[0].length - 1);
    if (end === -1) break;
    rest = rest.slice(end + word.length + 2);
  }
  return rest;
}

/**
 * Returns the number of steps that parsing a text can take, without parsing it: its length, for each level of nesting that it may
 * have. The parser is linear for each level, but 65,000 `$(` or `<<a` are many levels. Counts what opens a level, whether or not it
 * is closed: telling these apart needs the parser.
 */
export function stepsToParse(text: string): number {
  const rest = withoutDocuments(text);
  let levels = 1;
  let documents = 0;
  for (const [opener] of rest.matchAll(OPENER)) {
    if (opener === '<<') documents += 1;
    else if (levels < MAX_LEVELS) levels += 1;
  }
  if (documents > MAX_DOCUMENTS) return Number.POSITIVE_INFINITY;
  return (text.length + rest.length * levels) / 8;
}
