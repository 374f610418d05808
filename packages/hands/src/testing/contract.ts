import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { HandsOptions } from '../runtime/hands-options.ts';
import type { CallOptions } from '../call/call.ts';
import { temporaryHands, type TemporaryHands } from './temporary-hands.ts';

/** A promise of a contract, and a call that tests it. For tests. */
export interface ContractRow {
  /** The wording of the contract. */
  readonly says: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly prepare?: (place: TemporaryHands) => void | Promise<void>;
  readonly options?: Omit<HandsOptions, 'workspace'>;
  readonly callOptions?: CallOptions;
  readonly tool: string;
  readonly input?: unknown;
  /** Returns an input that depends on the place. */
  readonly makeInput?: (place: TemporaryHands) => unknown;
  /** Expected text, exact or as a pattern. */
  readonly output?: string | RegExp;
  /** Expected value; may contain `expect.…` matchers. */
  readonly value?: unknown;
  /** Default: false. */
  readonly isError?: boolean;
  /** Expected other properties of the answer. */
  readonly answer?: object;
  /** Expected content of the workspace afterwards: the text of a file, or whether a path exists. */
  readonly leaves?: Readonly<Record<string, string | boolean>>;
}

/** Tests each row in a separate workspace. */
export function checkContract(dialect: string, rows: readonly ContractRow[]): void {
  it.each(rows.map((row) => [`${row.tool}: ${row.says}`, row] as const))('%s', async (_, row) => {
    await using place = await temporaryHands(row.files, row.options);
    await row.prepare?.(place);
    const answer = await place.hands.dialect(dialect).call(row.tool, row.makeInput?.(place) ?? row.input, row.callOptions);
    if (typeof row.output === 'string') expect(answer.output).toBe(row.output);
    if (row.output instanceof RegExp) expect(answer.output).toMatch(row.output);
    if ('value' in row) expect(answer.value).toEqual(row.value);
    expect(answer.isError).toBe(row.isError ?? false);
    if (row.answer !== undefined) expect(answer).toMatchObject(row.answer);
    for (const [path, left] of Object.entries(row.leaves ?? {})) {
      const at = place.at(path);
      expect(typeof left === 'string' ? readFileSync(at, 'utf8') : existsSync(at)).toBe(left);
    }
  });
}
