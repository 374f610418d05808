import { count } from '../text/amounts.ts';

/** Says that changes wait although nothing else changed the same files. */
export function alongsideNote(changes: number): string {
  return `The rest of what it did in that repository (${count(changes, 'change')}) waits there too: a repository changes as a whole.`;
}
