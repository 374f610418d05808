import { EscapeStripper } from '../shape/escape-stripper.ts';

/**
 * Characters without a look that reorder what is shown or carry text nobody sees: bidirectional overrides, tags,
 * zero-width spaces. The joiners stay: scripts and emoji need them.
 */
const INVISIBLE = /[[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cc}]--[\t\n]]/gv;

/** The text of a stranger without what acts on terminals or hides from people. */
export function harmlessText(text: string): string {
  return new EscapeStripper().strip(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(INVISIBLE, '');
}
