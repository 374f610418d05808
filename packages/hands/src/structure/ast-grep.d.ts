// The part of @ast-grep/wasm that is used. Its own entry imports WebAssembly as a module, which not every supported Node can.
declare module '@ast-grep/wasm/wasm_bg.js' {
  export interface SgNode {
    text(): string;
    range(): { readonly start: { readonly index: number }; readonly end: { readonly index: number } };
    kind(): string;
    children(): SgNode[];
    findAll(matcher: unknown): SgNode[];
    getMatch(name: string): SgNode | undefined;
    getMultipleMatches(name: string): SgNode[];
  }
  export interface SgRoot extends Disposable {
    root(): SgNode;
  }
  export interface PatternNode {
    readonly kind: string;
    readonly children: readonly PatternNode[];
  }
  export function __wbg_set_wasm(exports: unknown): void;
  export function initializeTreeSitter(): Promise<void>;
  export function registerDynamicLanguage(languages: Readonly<Record<string, { libraryPath: string; expandoChar?: string }>>): Promise<void>;
  export function parse(language: string, text: string): SgRoot;
  export function dumpPattern(language: string, pattern: string, selector?: string): PatternNode;
}
