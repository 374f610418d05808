import type { Hands } from '@synapse/hands';
import { toolFormat } from '@synapse/hands/providers';
import { SynapseError } from '@synapse/protocol';
import { CHUNK_BYTES, LARGE_CHUNK, type DataFrames, type HandsEffect, type HandsEvent } from '@synapse/protocol/remote';
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

/** Bytes of an answer, as JSON, for which no further chunk is worth it. A chunk of the usual size always fits. */
const LEAST_LEFT = 32_768;

const smallSlice = (bytes: Uint8Array, from: number): Slice => ({ ...textSlice(bytes, from, CHUNK_BYTES), size: 0 });

/** Takes as much as fits in a frame, and in the rest of an answer. Much of a text may be escaped: then it is halved until it fits. */
function largeSlice(bytes: Uint8Array, from: number, left: number): Slice {
  for (let max = LARGE_CHUNK.bytes; ; max /= 2) {
    const slice = textSlice(bytes, from, Math.max(CHUNK_BYTES, Math.floor(max)));
    const size = Buffer.byteLength(JSON.stringify(slice.data));
    if (max <= CHUNK_BYTES || size <= Math.min(LARGE_CHUNK.asJson, left)) return { ...slice, size };
  }
}

const bytesOf = (text: string | undefined): Uint8Array | undefined => (text === undefined ? undefined : Buffer.from(text));

/** The sources of {@link MachineReads}. */
export interface ReadSources {
  readonly hands: Hands;
  readonly ledger: LedgerFile;
  readonly spools: Spools;
  /** Dialect of reads that name none. */
  readonly dialect?: string | undefined;
  /** Whether anyone can approve calls. */
  readonly canAsk: () => boolean;
}

/** The texts that brains may read by offset: tools, results and outputs. */
export class MachineReads {
  readonly #sources: ReadSources;
  readonly #results = new KeptBuffers();

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  /** Returns the requested chunks, as events for the machine. */
  *events({ frame, from }: Extract<HandsEffect, { type: 'read' }>): Generator<HandsEvent> {
    for (const chunk of this.chunks(frame)) yield { type: 'say', frame: chunk, to: from };
  }

  /** Returns the requested chunks. */
  *chunks({ brain, of, name, from, chunks, most }: DataFrames['read']): Generator<DataFrames['chunk']> {
    const { bytes, start, total } = this.#bytes(of, name, from);
    let at = from;
    let left = most ?? Number.POSITIVE_INFINITY;
    for (let count = 0; count < chunks; count += 1) {
      const { data, next, size } = most === undefined ? smallSlice(bytes, at - start) : largeSlice(bytes, at - start, left);
      left -= size;
      const isEnd = start + next >= total || next + start <= at;
      const isLast = most !== undefined && (isEnd || count + 1 >= chunks || left < LEAST_LEFT);
      yield { type: 'chunk', brain, of, name, from: at, data, next: start + next, total, ...(isLast ? { last: true } : {}) };
      if (isEnd || isLast) return;
      at = start + next;
    }
  }

  #bytes(of: DataFrames['read']['of'], name: string, from: number): { readonly bytes: Uint8Array; readonly start: number; readonly total: number } {
    const { ledger, spools } = this.#sources;
    if (of === 'output') return { ...spools.read(name, from, MAX_READ), start: from };
    const bytes = of === 'result' ? this.#results.get(name, () => bytesOf(ledger.result(name)?.body)) : Buffer.from(this.#tools(name));
    return { bytes, start: 0, total: bytes.length };
  }

  /** Returns the tools as JSON in a format; for `format:dialect`, those of a dialect. */
  #tools(name: string): string {
    const { hands } = this.#sources;
    const [format = '', dialect = this.#sources.dialect] = name.split(':');
    if (format === 'about') return JSON.stringify(this.#about());
    try {
      const known = toolFormat(format);
      return JSON.stringify(dialect === undefined ? hands.tools(known) : hands.dialect(dialect).tools(known));
    } catch (error) {
      if (error instanceof SynapseError) return JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint } });
      throw error;
    }
  }

  /** Returns the facts about this machine for a model. */
  #about(): RemoteAbout {
    const { hands, dialect, canAsk } = this.#sources;
    const constraints = [...hands.constraints({ canAsk: canAsk() })];
    const system = `${platform()} ${release()}`;
    return { workspace: hands.workspace, system, constraints, abilities: ['forward'], ...(dialect === undefined ? {} : { dialect }) };
  }
}
