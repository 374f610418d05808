import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { errnoOf } from '../workspace/file-error.ts';

/** A log of lines of JSON. */
export interface LineLog<Line> {
  /** Appends lines. The folder of the log is made if it is missing. */
  append(lines: readonly Line[]): void;
  /** Reads the lines, without those that a kill cut: what they were about did not happen. */
  read(): Generator<Line>;
}

export function lineLog<Schema extends z.ZodType>(file: string, schema: Schema): LineLog<z.output<Schema>> {
  return {
    append(lines) {
      if (lines.length === 0) return;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // A line break before too: a kill may have left half a line.
      appendFileSync(file, `\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`, { mode: 0o600 });
    },
    *read() {
      for (const text of textOf(file).split('\n')) {
        const line = schema.safeParse(parsed(text));
        if (line.success) yield line.data;
      }
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
