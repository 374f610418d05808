import { wordPattern } from '../syntax/read-uses.ts';
import type { EditedFile } from './edited-file.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import type { SourceFile } from './source.ts';

/** Maximum number of lines of the decorators of a function. */
const MAX_DECORATOR_LINES = 40;
/** Maximum number of lines of its parameters. */
const MAX_HEAD_LINES = 40;

const FIXTURE = /^\s*@(?:\w+\.)*fixture\b/u;
const FUNCTION = /^\s*(?:async\s+)?def\s+(\w+)/u;

/** Whether pytest calls the function on a line as a fixture. */
function isFixture(lines: readonly string[], index: number): boolean {
  for (let at = index - 1; at >= 0 && index - at < MAX_DECORATOR_LINES; at -= 1) {
    const line = lines[at] ?? '';
    if (FIXTURE.test(line)) return true;
    if (line.trim() === '' || /^\s*(?:class|(?:async\s+)?def)\b/u.test(line)) return false;
  }
  return false;
}

/** The places where a file declares a fixture of that name. Lines from 1. */
function fixturesIn({ path, lines }: SourceFile, name: string): string[] {
  if (!path.endsWith('.py')) return [];
  return lines.flatMap((line, index) => (FUNCTION.exec(line)?.[1] === name && isFixture(lines, index) ? [`${path}:${index + 1}`] : []));
}

const isCalledByPytest = ({ lines }: SourceFile, index: number, name: string): boolean => name.startsWith('test') || isFixture(lines, index);

/** Whether a place is a parameter of a function that pytest calls. @param line from 1 @param column from 0 */
function isParameter(source: SourceFile, line: number, column: number): boolean {
  // Parameters may be on lines of their own, after that of the function.
  for (let at = line; at >= 1 && line - at < MAX_HEAD_LINES; at -= 1) {
    const text = source.lines[at - 1] ?? '';
    const before = at === line ? text.slice(0, column) : text;
    if (before.includes(')')) return false;
    const name = FUNCTION.exec(before)?.[1];
    if (name !== undefined) return before.includes('(') && isCalledByPytest(source, at - 1, name);
  }
  return false;
}

function isParameterEdited({ source, replacements }: EditedFile): boolean {
  const starts = lineStarts(source.text);
  return replacements.some(({ start }) => {
    const line = lineAt(starts, start);
    return isParameter(source, line, start - (starts[line - 1] ?? 0));
  });
}

/**
 * Why a name of Python cannot be renamed that pytest gives by its name, as a fixture is given to the parameters of tests; undefined if it can.
 * A language server takes the fixture and the parameters for different things.
 */
export function fixtureProblem(files: readonly SourceFile[], edited: readonly EditedFile[], name: string): string | undefined {
  const [fixture] = files.flatMap((file) => fixturesIn(file, name));
  if (fixture === undefined) return undefined;
  const touchesAll = files.every(({ path, lines }) => {
    const edit = edited.find(({ source }) => source.path === path);
    return lines.every((line, index) =>
      Array.from(line.matchAll(wordPattern(name))).every((found) => edit?.touches(index + 1, found.index) === true),
    );
  });
  if (touchesAll) return undefined;
  const isRenamed = edited.some(({ source, touches }) =>
    source.lines.some((line, index) => {
      const found = FUNCTION.exec(line);
      return found?.[1] === name && touches(index + 1, found[0].length - name.length) && isFixture(source.lines, index);
    }),
  );
  return isRenamed || edited.some(isParameterEdited) ? `pytest gives the fixture at ${fixture} to the parameters of that name` : undefined;
}
