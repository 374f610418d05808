import { decode, type TextEncoding } from '../text/encoding.ts';
import { detectEncoding } from '../text/detect-encoding.ts';

const ENDS = /\r?\n/gu;

/** How most lines of a text end; undefined without line ends. */
function endOf(text: string): 'CRLF' | 'LF' | undefined {
  const ends = text.match(ENDS) ?? [];
  const crlf = ends.filter((end) => end.length === 2).length;
  return ends.length === 0 ? undefined : crlf * 2 > ends.length ? 'CRLF' : 'LF';
}

/** What a text file was, before all of it was replaced. */
export interface ReplacedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Reads what a file was as text; undefined if it is binary. */
export async function readReplaced(bytes: Uint8Array): Promise<ReplacedText | undefined> {
  const encoding = await detectEncoding(bytes);
  return encoding === 'binary' ? undefined : { text: decode(bytes, encoding), encoding };
}

/** Says what else a new text changes in a file: read as lines, the old text does not show its encoding and line ends. */
export function replacedNotes({ text, encoding }: ReplacedText, content: string): string[] {
  const [before, after] = [endOf(text), endOf(content)];
  const now: string[] = [];
  const was: string[] = [];
  if (encoding.name !== 'utf-8') {
    was.push(`was in ${encoding.name}`);
    now.push('is in UTF-8');
  } else if (encoding.bom && !content.startsWith('\ufeff')) {
    was.push('had a byte order mark');
    now.push('has none');
  }
  if (before !== undefined && after !== undefined && before !== after) {
    was.push(`had lines that end with ${before}`);
    now.push(`has ${after}`);
  }
  return was.length === 0 ? [] : [`It ${was.join(', and ')}; now it ${now.join(', and ')}.`];
}
