// The part of WebAssembly that programs use. The types of Node do not have it, and those of browsers have much else.
declare namespace WebAssembly {
  class Module {
    private readonly compiled: true;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    /** Both in pages of 64 KiB. */
    constructor(sizes: { readonly initial: number; readonly maximum: number });
  }
  class Instance {
    readonly exports: Readonly<Record<string, (() => void) | undefined>>;
    constructor(module: Module, imports: Readonly<Record<string, object>>);
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
