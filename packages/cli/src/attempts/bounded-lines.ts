/** Characters of a line that are read. An event of a run has a call and its arguments, such as a whole file. */
const MAX_LINE = 16 * 1024 * 1024;

/**
 * Yields the lines of a process. One that is too long is left out: what a process writes must not fill the memory of this one.
 *
 * @param chunks whole characters each
 */
export async function* boundedLines(chunks: AsyncIterable<unknown>, most = MAX_LINE): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = '', ...others] = String(chunk).split('\n');
    for (const [at, part] of [first, ...others].entries()) {
      if (at > 0) {
        if (length <= most) yield parts.join('').replace(/\r$/u, '');
        parts = [];
        length = 0;
      }
      length += part.length;
      if (length <= most) parts.push(part);
      else parts = [];
    }
  }
  if (length > 0 && length <= most) yield parts.join('');
}
