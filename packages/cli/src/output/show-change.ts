import type { ShownChange } from '@synapse/hands';
import type { Output, Style } from './output.ts';

const STYLES: ReadonlyArray<readonly [string, Style]> = [
  ['+', 'green'],
  ['-', 'red'],
  ['@', 'dim'],
];

/** Prints the changes of a call as a colored diff. */
export function showChange(out: Output, { kind, path, from, current, diff, note }: ShownChange): void {
  const facts = [...(note === undefined ? [] : [note]), ...(current ? [] : ['changed since'])];
  out.write(`${kind} ${from === undefined ? '' : `${from} → `}${path}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}\n`, 'bold');
  if (diff === undefined) return;
  for (const line of diff.split(/(?<=\n)/u)) out.write(line, STYLES.find(([mark]) => line.startsWith(mark))?.[1]);
  if (!diff.endsWith('\n')) out.write('\n');
}
