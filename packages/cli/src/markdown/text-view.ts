import type { Line } from '../output/styled-line.ts';

/** Shows a text that arrives in parts: lines that are final, and lines that may still change. */
export interface TextView {
  /** Takes the next part. Returns the lines that are now final. */
  push(text: string): Line[];
  /** The lines after the final ones, as they look now. */
  live(): Line[];
  /** Returns all lines that are left. */
  end(): Line[];
}
