/** The source with one kind of line end, as the parser takes it. */
export function sourceText(source: string): string {
  return source.replaceAll(/\r\n?/gu, '\n');
}
