import { lstatSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { readSmallFile } from './git-folder.ts';

/** The name of an object. */
export const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
/** Maximum bytes of a file with references: about a hundred thousand of them. */
const MAX_REFS_BYTES = 16 * 1024 * 1024;

/** How many names may lead to a commit. */
const MAX_LINKS = 5;
const LINK = /^ref: (?<name>refs\/[^\s\p{Cc}]+)$/u;
const isPlain = (name: string): boolean => name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** A repository as one or more layers show it, the topmost first. */
export class References {
  readonly #layers: readonly PinnedDirectory[];

  constructor(layers: readonly PinnedDirectory[]) {
    this.#layers = layers;
  }

  /** The commit of a reference or a head; undefined if there is none. */
  get(name: string): string | undefined {
    return this.chain(name)?.at(-1)?.[1];
  }

  /** A head or a reference with its text, and those that it leads to; undefined if that is no commit. */
  chain(name: string): Array<readonly [name: string, text: string]> | undefined {
    const found: Array<readonly [string, string]> = [];
    for (let next = name; found.length <= MAX_LINKS;) {
      const text = this.#text(next)?.trim() ?? this.#packed(next);
      if (text === undefined) return undefined;
      found.push([next, text]);
      if (HASH.test(text)) return found;
      const target = LINK.exec(text)?.groups?.['name'];
      if (target === undefined || !isPlain(target)) return undefined;
      next = target;
    }
    return undefined;
  }

  /** The references that are packed, with their objects. */
  packed(): ReadonlyMap<string, string> {
    const lines = this.#text('packed-refs', MAX_REFS_BYTES)?.split('\n') ?? [];
    return new Map(
      lines.flatMap((line) => {
        const [hash = '', name = ''] = line.split(' ');
        return HASH.test(hash) ? [[name, hash] as const] : [];
      }),
    );
  }

  #packed(name: string): string | undefined {
    const packed = this.#text('packed-refs', MAX_REFS_BYTES)?.split('\n') ?? [];
    return packed.find((line) => line.endsWith(` ${name}`))?.split(' ', 1)[0];
  }

  #text(name: string, max = 4096): string | undefined {
    for (const layer of this.#layers) {
      const found = lstatSync(layer.at(name), { throwIfNoEntry: false });
      // A whiteout of the overlay: the branch deleted it.
      if (found?.isCharacterDevice() === true) return undefined;
      if (found?.isFile() === true) return readSmallFile(layer, name, max)?.toString('latin1');
    }
    return undefined;
  }
}
