import type { Hands } from '@synapse/hands';
import { toolFormat } from '@synapse/hands/providers';
import { SynapseError } from '@synapse/protocol';
import {
  CHUNK_BYTES,
  INLINE_BYTES,
  LARGE_CHUNK,
  type DataFrames,
  type FinishedCall,
  type HandsEffect,
  type HandsEvent,
} from '@synapse/protocol/remote';
import { platform, release } from 'node:os';
import type { RemoteAbout } from '../remote-about.ts';
import { textSlice } from '../text-slice.ts';
import { KeptBuffers } from './kept-buffers.ts';
import type { LedgerFile } from './ledger-file.ts';
import type { Spools } from './spool.ts';

/** Bytes of the most chunks that a frame asks for, and of the rest of a character that begins in the last one. */
const MAX_READ = CHUNK_BYTES * 16 + 3;

/** A part of a text as a chunk, and its size as JSON. */
interface Slice extends ReturnType<typeof textSlice> {
  readonly size: number;
}

/** A text that is read, or the part of it that may be asked for. */
interface ReadText {
  readonly bytes: Uint8Array;
  /** Where the part begins. */
  readonly start: number;
  readonly total: number;
}

/** In a result, before the text that is appended to its JSON. */
const LINE_BREAK = 10;

/** Bytes of an answer, as JSON, for which no further chunk is worth it. A chunk of the usual size always fits. */
const LEAST_LEFT = 32_768;

const smallSlice = (bytes: Uint8Array, from: number): Slice => ({ ...textSlice(bytes, from, CHUNK_BYTES), size: 0 });

/** Bytes of a byte of UTF-8 as JSON: quotation marks, backslashes and control characters are escaped (RFC 8259, section 7). */
const AS_JSON = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 128 ? JSON.stringify(String.fromCharCode(byte)).length - 2 : 1));

/** Takes as much as fits in a frame, and in the rest of an answer, but always a chunk of the usual size. */
function largeSlice(bytes: Uint8Array, from: number, left: number, way: 'open' | 'sealed' | 'appended'): Slice {
  const most = Math.min(left, way === 'open' ? LARGE_CHUNK.asJson : LARGE_CHUNK.sealed);
  const last = Math.min(bytes.length, from + most);
  // Sealed as it is, and then no character is one that JSON escapes.
  if (way === 'appended') return { ...textSlice(bytes, from, last - from), size: last - from };
  let size = '""'.length;
  let end = from;
  for (; end < last; end += 1) {
    const next = size + (AS_JSON[bytes[end] ?? 0] ?? 0);
    if (next > most && end - from >= CHUNK_BYTES) break;
    size = next;
  }
  return { ...textSlice(bytes, from, end - from), size };
}

const refusedText = ({ code, message, hint }: SynapseError): string => JSON.stringify({ error: { code, message, hint } });

const bytesOf = (text: string | undefined): Uint8Array | undefined => (text === undefined ? undefined : Buffer.from(text));

/** The sources of {@link MachineReads}. */
export interface ReadSources {
  readonly ledger: LedgerFile;
  readonly spools: Spools;
  /** Dialect of reads that name none. */
  readonly dialect?: string | undefined;
  /** Whether anyone can approve calls in a workspace. */
  readonly canAsk: (workspace: string | undefined) => boolean;
  /** The workspaces that a party may use. */
  readonly names: (from: string | undefined) => readonly string[];
}

/** The texts that brains may read by offset: tools, results and outputs. */
export class MachineReads {
  readonly #sources: ReadSources;
  readonly #results = new KeptBuffers();

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  /** Keeps the result of a call that ended just now, if it is long: it will be read. Those of plain calls are sent whole. */
  keep(name: string, { bytes, body }: FinishedCall): void {
    if (bytes > INLINE_BYTES && !name.startsWith('base:')) this.#results.get(name, () => Buffer.from(body));
  }

  /** Returns the requested chunks, as events for the machine. @param hands of the workspace that is read about, or why there are none */
  *events({ frame, from }: Extract<HandsEffect, { type: 'read' }>, hands?: Hands | SynapseError): Generator<HandsEvent> {
    const text = this.#textOf(frame, () => this.#told(frame, from, hands));
    // Who may read such a result can read such a chunk.
    const appends = frame.of === 'result' && text.bytes.includes(LINE_BREAK);
    const way = from === undefined ? 'open' : appends ? 'appended' : 'sealed';
    for (const chunk of this.chunks(frame, text, way)) yield { type: 'say', frame: chunk, to: from, appends };
  }

  /** Returns the requested chunks. */
  *chunks(
    { brain, of, name, from, chunks, most, workspace }: DataFrames['read'],
    { bytes, start, total } = this.#textOf({ of, name, from }),
    way: 'open' | 'sealed' | 'appended' = 'sealed',
  ): Generator<DataFrames['chunk']> {
    const where = workspace === undefined ? {} : { workspace };
    const slice = (offset: number) => (most === undefined ? smallSlice(bytes, offset) : largeSlice(bytes, offset, left, way));
    let at = from;
    let left = most ?? Number.POSITIVE_INFINITY;
    for (let count = 0; count < chunks; count += 1) {
      const { data, next, size } = slice(at - start);
      left -= size;
      const isEnd = start + next >= total || next + start <= at;
      const isLast = most !== undefined && (isEnd || count + 1 >= chunks || left < LEAST_LEFT);
      yield { type: 'chunk', brain, of, name, from: at, data, next: start + next, total, ...(isLast ? { last: true } : {}), ...where };
      if (isEnd && of === 'result') this.#results.drop(name);
      if (isEnd || isLast) return;
      at = start + next;
    }
  }

  /** @param told makes the text of a read that is not about a call */
  #textOf({ of, name, from }: Pick<DataFrames['read'], 'of' | 'name' | 'from'>, told = (): string => ''): ReadText {
    const { ledger, spools } = this.#sources;
    if (of === 'output') return { ...spools.read(name, from, MAX_READ), start: from };
    const bytes = of === 'result' ? this.#results.get(name, () => bytesOf(ledger.result(name)?.body)) : Buffer.from(told());
    return { bytes, start: 0, total: bytes.length };
  }

  /** Returns a text about the machine, as JSON. */
  #told({ name, workspace }: DataFrames['read'], from: string | undefined, hands: Hands | SynapseError | undefined): string {
    if (name === 'workspaces' || hands === undefined) return JSON.stringify({ workspaces: this.#sources.names(from) });
    return hands instanceof SynapseError ? refusedText(hands) : this.#tools(name, hands, workspace);
  }

  /** Returns the tools as JSON in a format; for `format:dialect`, those of a dialect. */
  #tools(name: string, hands: Hands, workspace: string | undefined): string {
    const [format = '', dialect = this.#sources.dialect] = name.split(':');
    if (format === 'about') return JSON.stringify(this.#about(hands, workspace));
    try {
      const known = toolFormat(format);
      return JSON.stringify(dialect === undefined ? hands.tools(known) : hands.dialect(dialect).tools(known));
    } catch (error) {
      if (error instanceof SynapseError) return refusedText(error);
      throw error;
    }
  }

  /** Returns the facts about this machine for a model. */
  #about(hands: Hands, workspace: string | undefined): RemoteAbout {
    const { dialect, canAsk } = this.#sources;
    const constraints = [...hands.constraints({ canAsk: canAsk(workspace) })];
    const system = `${platform()} ${release()}`;
    return { workspace: hands.workspace, system, constraints, abilities: ['forward', 'workspaces'], ...(dialect === undefined ? {} : { dialect }) };
  }
}
