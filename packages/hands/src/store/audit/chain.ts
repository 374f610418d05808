import { hash } from 'node:crypto';
import type { UnlinkedRecord } from './audit-record.ts';

/** What the first record of a log has for the hash of the one before it. */
export const FIRST_PREVIOUS = '0'.repeat(64);

/** A record as a line of the log. */
export interface SealedLine {
  /** With its newline. */
  readonly text: string;
  readonly hash: string;
}

const HASH_FIELD = /^(\{"seq":(\d{1,15}),.*"prev":"([0-9a-f]{64})"),"hash":"([0-9a-f]{64})"\}$/su;

/**
 * Makes a line of a record. The hash is over the very text of the line up to it, which holds the hash
 * of the line before: no form has to be agreed on in which a record is hashed, and a changed space shows.
 */
export function seal(record: UnlinkedRecord, seq: number, time: Date, prev: string): SealedLine {
  const text = JSON.stringify({ seq, time: time.toISOString(), ...record, prev }).slice(0, -1);
  const sum = hash('sha256', text);
  return { text: `${text},"hash":"${sum}"}\n`, hash: sum };
}

/** The links of a line without its newline, where its hash is right; undefined for anything else. */
export function readLinks(line: string): { readonly seq: number; readonly prev: string; readonly hash: string } | undefined {
  const [, text, seq, prev, sum] = HASH_FIELD.exec(line) ?? [];
  if (text === undefined || prev === undefined || sum === undefined || hash('sha256', text) !== sum) return undefined;
  return { seq: Number(seq), prev, hash: sum };
}
