/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
  const lines = text.includes('\r') ? text.split(/\r?\n/u) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
