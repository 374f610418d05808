const COMMENT = /^(?:\/\/|#|--|;|%|\/\*|\{\/\*|<!--|\*|"""|''')\s*/u;
const COMMENT_END = /\s*(?:\*\/\}?|-->|"""|''')?$/u;
const DOTS = /^[[({<]?(?:\.{3}|…)/u;
/** Dots, a space and a word are prose; without the space they spread a value. */
const DOTS_AND_PROSE = /^[[({<]?\s*(?:\.{3}|…)\s+\p{L}/u;
const LEFT_OUT =
  /\b(?:existing|rest of|remaining|remainder|unchanged|unmodified|same as|stays? the same|previous|original|omitted|other (?:code|lines|methods|functions|imports|fields|properties)|(?:more )?code (?:here|above|below|continues))\b/iu;
/** The same without dots before it, as in "rest of the file unchanged". */
const REST =
  /^[[({<]?(?:the )?(?:rest of|remaining|existing|other) (?:of )?(?:the )?(?:code|file|function|class|method|methods|functions|imports?|content|logic|implementation|body|lines|tests|component|module)\b.*(?:\.{3}|…|unchanged|unmodified|same|omitted)/iu;

/** Whether a line says that something was left out. `words` only where it says so in words. */
function isElision(line: string, words: boolean): boolean {
  if (line.length > 200) return false;
  const comment = COMMENT.exec(line)?.[0] ?? '';
  const text = line.slice(comment.length).replace(COMMENT_END, '');
  if (!words) return comment !== '' && (text === '...' || text === '…');
  return comment === '' ? DOTS_AND_PROSE.test(text) && LEFT_OUT.test(text) : (DOTS.test(text) && LEFT_OUT.test(text)) || REST.test(text);
}

/**
 * A line of the new text that stands for lines of the file, such as `// ... existing code ...`: nothing fills it in.
 * One that the old text has, too, is text. Dots without a word count only where lines of the old text are gone between
 * two that stayed.
 */
export function elidedLine(oldText: string, newText: string): string | undefined {
  const lines = newText.split('\n').map((line) => line.trim());
  const worded = lines.find((line) => isElision(line, true));
  const old = new Set(oldText.split('\n').map((line) => line.trim()));
  if (worded !== undefined && !old.has(worded)) return worded;
  const bare = lines.findIndex((line) => isElision(line, false) && !old.has(line));
  if (bare === -1) return undefined;
  const kept = (line: string): boolean => line !== '' && old.has(line);
  const isBetween = lines.slice(0, bare).some(kept) && lines.slice(bare + 1).some(kept);
  const fresh = new Set(lines);
  return isBetween && [...old].some((line) => line !== '' && !fresh.has(line)) ? lines[bare] : undefined;
}
