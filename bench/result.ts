/** A row of the results: a comparison, and whether it meets the target of the issue. */
export interface Row {
  readonly group: string;
  readonly what: string;
  readonly ours: string;
  readonly peer: string;
  readonly compared: string;
  /** Empty if there is no target. */
  readonly target: string;
  readonly met: boolean;
}

/** Formats milliseconds with a unit that suits both calls and processes. */
export function time(milliseconds: number): string {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(0)} µs`;
  return milliseconds < 100 ? `${milliseconds.toFixed(2)} ms` : `${milliseconds.toFixed(0)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Formats the rows as Markdown, with a table for each group. */
export function markdown(rows: readonly Row[], facts: readonly string[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const tables = groups.map((group) => {
    const lines = rows
      .filter((row) => row.group === group)
      .map(
        (row) =>
          `| ${row.what} | ${row.ours} | ${row.peer} | ${row.compared} | ${row.target} | ${row.target === '' ? '' : row.met ? 'yes' : '**no**'} |`,
      );
    return [`## ${group}`, '', '| what | Synapse | peer | compared | target | met |', '|---|---|---|---|---|---|', ...lines].join('\n');
  });
  return [
    '# Measured',
    '',
    'Written by `npm run bench`. Medians; contenders ran in turn in one run.',
    '',
    ...facts.map((fact) => `- ${fact}`),
    '',
    tables.join('\n\n'),
    '',
  ].join('\n');
}
