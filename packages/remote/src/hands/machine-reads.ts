import type { Hands } from '@synapse/hands';
import { toolFormat } from '@synapse/hands/providers';
import { SynapseError } from '@synapse/protocol';
import { CHUNK_BYTES, type DataFrames, type HandsEffect, type HandsEvent } from '@synapse/protocol/remote';
import { platform, release } from 'node:os';
import type { RemoteAbout } from '../remote-about.ts';
import { textSlice } from '../text-slice.ts';
import { KeptBuffers } from './kept-buffers.ts';
import type { LedgerFile } from './ledger-file.ts';
import type { Spools } from './spool.ts';

/** Bytes of the most chunks that a frame asks for, and of the rest of a character that begins in the last one. */
const MAX_READ = CHUNK_BYTES * 16 + 3;

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
    for (const chunk of this.chunks(frame)) yield { type: 'chunk', frame: chunk, to: from };
  }

  /** Returns the requested chunks. */
  *chunks({ brain, of, name, from, chunks }: DataFrames['read']): Generator<DataFrames['chunk']> {
    const { bytes, start, total } = this.#bytes(of, name, from);
    let at = from;
    for (let count = 0; count < chunks; count += 1) {
      const { data, next } = textSlice(bytes, at - start, CHUNK_BYTES);
      yield { type: 'chunk', brain, of, name, from: at, data, next: start + next, total };
      if (start + next >= total || next + start <= at) return;
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
    return { workspace: hands.workspace, system: `${platform()} ${release()}`, constraints, ...(dialect === undefined ? {} : { dialect }) };
  }
}
