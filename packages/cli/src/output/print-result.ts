import type { CallSuccess } from '@synapse/protocol';
import type { Output } from './output.ts';
import { visibleJson } from './visible-text.ts';

/** The unchanged text of a result, with line ends between parts. */
function bodyOf(result: CallSuccess): string {
  let body = '';
  for (const block of result.content) {
    if (block.type !== 'text') continue;
    if (body !== '' && !body.endsWith('\n')) body += '\n';
    body += block.text;
  }
  return body;
}

/**
 * Prints a tool's result: the text on stdout, everything else on stderr.
 *
 * @param streamed whether the text was printed while the tool ran
 */
export function printSuccess(result: CallSuccess, out: Output, err: Output, verbatim: boolean, streamed = false): void {
  const body = streamed ? '' : bodyOf(result);
  out.write(body);
  // Readers that split a pipe into lines would lose an unfinished last line.
  if ((out.isTerminal || !verbatim) && body !== '' && !body.endsWith('\n')) out.write('\n');
  for (const block of result.content) {
    if (block.type === 'note') err.write(`${block.text}\n`, 'dim');
    if (block.type === 'image') err.write(`[An image, ${block.mimeType}: --json prints its data.]\n`, 'dim');
  }
}

/** Prints a result as JSON. */
export function printResultJson(result: unknown, out: Output): void {
  out.write(`${out.isTerminal ? visibleJson(JSON.stringify(result, null, 2)) : JSON.stringify(result)}\n`);
}
