import { inLine, visibleText } from './visible-text.ts';

/** A terminal hyperlink (OSC 8); terminals without support show only the text. */
const LINK = '\u001b]8;;';
const LINK_END = '\u001b\\';

/** Adds a link to a text that is safe for the terminal. */
export function hyperlink(text: string, address: string): string {
  return `${LINK}${visibleText(inLine(address))}${LINK_END}${text}${LINK}${LINK_END}`;
}
