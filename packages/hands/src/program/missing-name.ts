const NO_NODE = 'A program has hands, console and the language, and nothing of Node.js or of a browser.';

/** What there is in place of names that programs elsewhere have. */
const ELSEWHERE: ReadonlyArray<readonly [names: RegExp, advice: string]> = [
  [
    /^(?:fs|fsp|path|readFileSync|writeFileSync|Buffer|Deno|Bun|__dirname|__filename)$/u,
    `${NO_NODE} Files: hands.read_file, hands.write_file, hands.edit_file, hands.find_files.`,
  ],
  [/^(?:child_process|exec|execSync|spawn|spawnSync|execa|\$)$/u, `${NO_NODE} Commands: hands.run_command.`],
  [/^(?:fetch|XMLHttpRequest|axios|http|https)$/u, `${NO_NODE} Pages: hands.fetch_url.`],
  [/^(?:setTimeout|setInterval|setImmediate|sleep|queueMicrotask)$/u, 'There are no timers: await hands.run_command({ command: "sleep 1" }) waits.'],
  [/^print$/u, 'To print, use console.log.'],
  [
    /^(?:require|module|exports|process|os|global|window|document|URL|TextEncoder|TextDecoder|btoa|atob|crypto|structuredClone|performance)$/u,
    NO_NODE,
  ],
];
/** Names that other systems have for what holds the tools. */
const HOLDERS = /^(?:tools?|functions|synapse|mcp|client|api|agent|codemode)$/u;

/** Says what to use in place of a name that a program does not have. */
export function missingName(name: string, message: string): string | undefined {
  const missing = name === 'ReferenceError' ? /^'([\w$]+)' is not defined$/u.exec(message)?.[1] : undefined;
  if (missing === undefined) return undefined;
  if (HOLDERS.test(missing)) return 'The tools are in hands: await hands.read_file({ path }).';
  const found = ELSEWHERE.find(([names]) => names.test(missing));
  if (found !== undefined) return found[1];
  return /^[a-z]+(?:_[a-z]+)+$/u.test(missing) ? `If that is a tool: await hands.${missing}(…).` : undefined;
}
