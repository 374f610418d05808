/** Parses the text of a result: JSON, or JSON and the text for the model after a line break. @throws SyntaxError if it is neither */
export function parseResult(text: string): unknown {
  const end = text.indexOf('\n');
  if (end < 0) return JSON.parse(text);
  const value: unknown = JSON.parse(text.slice(0, end));
  return typeof value === 'object' && value !== null ? { ...value, output: text.slice(end + 1) } : value;
}
