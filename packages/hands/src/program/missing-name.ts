const NO_NODE = 'A program has hands, console and the language, and nothing of Node.js or of a browser.';

/** What there is in place of names that programs elsewhere have. */
const ELSEWHERE: ReadonlyArray<readonly [names: RegExp, advice: string]> = [
  [
    /^(?:fs|fsp|path|readFileSync|writeFileSync|Buffer|Deno|Bun|__dirname|__filename)$/u,
    `${NO_NODE} Files: hands.read_file, hands.write_file, hands.edit_file, hands.find_files.`,
  ],
  [/^(?:child_process|exec|execSync|spawn|spawnSync|execa|\$)$/u, `${NO_NODE} Commands: hands.run_command.`],
  [/^(?:fetch|XMLHttpRequest|axios|undici|http|https)$/u, `${NO_NODE} Pages: hands.fetch_url.`],
  [/^(?:setTimeout|setInterval|setImmediate|sleep|queueMicrotask)$/u, 'There are no timers: await hands.run_command({ command: "sleep 1" }) waits.'],
  [/^print$/u, 'To print, use console.log.'],
  [
    /^(?:require|module)$/u,
    `${NO_NODE} Files: hands.read_file, hands.write_file, hands.edit_file. Commands, also a script with node: hands.run_command. Pages: hands.fetch_url.`,
  ],
  [/^(?:exports|process|os|global|window|document|URL|TextEncoder|TextDecoder|btoa|atob|crypto|structuredClone|performance)$/u, NO_NODE],
];
/** Names that other systems have for what holds the tools. */
const HOLDERS = /^(?:tools?|functions|synapse|mcp|client|api|agent|codemode)$/u;

const adviceFor = (name: string): string | undefined => ELSEWHERE.find(([names]) => names.test(name))?.[1];

/** Says what to use in place of a module, which a program cannot import. */
function missingModule(module: string): string {
  const name = module.replace(/^node:/u, '').replace(/\/.*$/u, '');
  return adviceFor(name) ?? `${NO_NODE} A script that needs a package: hands.run_command with node.`;
}

/** Says what to use in place of what a program imports; undefined if it imports nothing. */
export function insteadOfImport(code: string): string | undefined {
  const module = /^\s*import\b[^'"`;]*['"]([^'"\n]+)['"]/mu.exec(code)?.[1];
  return module === undefined ? undefined : missingModule(module);
}

/** Says what to use in place of a name that a program does not have. */
export function missingName(name: string, message: string): string | undefined {
  const module = name === 'ReferenceError' ? /^could not load module '(.+)'/u.exec(message)?.[1] : undefined;
  if (module !== undefined) return missingModule(module);
  const missing = name === 'ReferenceError' ? /^'([\w$]+)' is not defined$/u.exec(message)?.[1] : undefined;
  if (missing === undefined) return undefined;
  if (HOLDERS.test(missing)) return 'The tools are in hands: await hands.read_file({ path }).';
  const advice = adviceFor(missing);
  if (advice !== undefined) return advice;
  return /^[a-z]+(?:_[a-z]+)+$/u.test(missing) ? `If that is a tool: await hands.${missing}(…).` : undefined;
}
