import type { OpenFile } from './open-file.ts';

/** A place that a change is computed for: what is there now, and a way to say what shall be. */
export interface ChangeScope {
  /** Opens the file as it is under the lock; undefined where there is none. The scope closes it. */
  open(path: string): OpenFile | undefined;
  /** The same, for what tells of its content; throws where the place that the path leads to may not be read. */
  openReadable(path: string): OpenFile | undefined;
  /** @param mode permission bits; default: those the file has, or what the umask leaves of 666 */
  write(path: string, bytes: Uint8Array, mode?: number): void;
  /** Deletes a file, or a link itself. */
  delete(path: string): void;
}
