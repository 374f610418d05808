import { readFileSync, writeFileSync } from 'node:fs';
import type { FileBuffers, ShownByEditor } from '../workspace/file-buffers.ts';

/** How a fake editor behaves. */
export interface FakeEditorOptions {
  /** Returns the text that it saves. Default: the text that it was given. */
  readonly format?: (text: string) => string;
  /** Whether it saves what it is given. Default: true. */
  readonly saves?: boolean;
  /** Called with the path of each question, before the answer. */
  readonly onRead?: (file: string) => Promise<void> | void;
  /** Called before it writes. */
  readonly onWrite?: (file: string, text: string) => Promise<void> | void;
  /** Whether its texts can be changed. Default: true. */
  readonly writable?: boolean;
}

/** An editor with unsaved texts. For tests. */
export interface FakeEditor {
  readonly buffers: FileBuffers;
  /** Unsaved texts, by path. */
  readonly texts: Map<string, string>;
  /** The paths that it was asked for. */
  readonly asked: string[];
  /** What it was given, in order. */
  readonly written: Array<readonly [file: string, text: string]>;
}

/** Creates an editor. Like a real one, it answers with the file where it has no unsaved text, and gives lines that end in `\n`. */
export function fakeEditor({ format = (text) => text, saves = true, onRead, onWrite, writable = true }: FakeEditorOptions = {}): FakeEditor {
  const texts = new Map<string, string>();
  const asked: string[] = [];
  const written: Array<readonly [string, string]> = [];
  const write = async (file: string, text: string): Promise<void> => {
    await onWrite?.(file, text);
    written.push([file, text]);
    if (!saves) return void texts.set(file, text);
    texts.delete(file);
    writeFileSync(file, format(text));
  };
  const read = async (file: string): Promise<ShownByEditor> => {
    asked.push(file);
    await onRead?.(file);
    return { text: texts.get(file) ?? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') };
  };
  return { texts, asked, written, buffers: { read, write: writable ? write : undefined } };
}
