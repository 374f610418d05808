/** What a program asks for: a tool, or text about the tools. */
export type Asked = 'tool' | 'help';

/** What the thread of a program begins with, before it has an interpreter. */
export interface ThreadStart {
  readonly memoryBytes: number;
}

/** What the thread of a program tells. All values are texts: no object of the program leaves its interpreter. */
export type FromProgram =
  | { readonly type: 'call'; readonly id: number; readonly asked: Asked; readonly name: string; readonly json: string }
  | { readonly type: 'taken'; /** The characters of an answer that arrived. */ readonly characters: number }
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'end'; readonly ending: ProgramEnding };

/** What the thread of a program gets: the interpreter, the program once, which is the body of an async function, and the answers to its calls. */
export type ToProgram =
  | { readonly type: 'interpreter'; /** Compiled while the thread starts. */ readonly module: WebAssembly.Module }
  | { readonly type: 'run'; readonly code: string }
  | { readonly type: 'answer'; readonly id: number; /** Of an {@link Answer}. */ readonly json: string };

/** The answer to a call of a program. */
export type Answer =
  | { readonly data: unknown }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint?: string | undefined } };

/** How a program ended. */
export type ProgramEnding =
  | {
      readonly ok: true;
      /** The JSON of what it returned; undefined for nothing. */
      readonly json: string | undefined;
    }
  | { readonly ok: false; readonly error: ProgramError };

/** Why a program failed. */
export interface ProgramError {
  readonly name: string;
  readonly message: string;
  /** The line of the program where that was, from 1. */
  readonly line?: number;
}
