import { branch } from '../command/branch-option.ts';
import { flag, list, parsed, text, words } from '../command/option.ts';
import { handsOptions, mcp } from '../command/shared-options.ts';

/** Characters of a result: enough for its first line and some text, and no more than the limits of hands. */
const MAX_OUTPUT = {
  expects: 'a number of characters from 2000 to 40000',
  parse: (given: string): number | undefined =>
    /^\d{4,5}$/u.test(given) && Number(given) >= 2_000 && Number(given) <= 40_000 ? Number(given) : undefined,
};

/** The options of `synapse mcp` for every transport. */
export const serverOptions = {
  ...handsOptions,
  sandbox: { ...handsOptions.sandbox, rare: true },
  branch,
  noEditDiagnostics: flag('answer edits without what they did to errors and warnings', { rare: true }),
  tools: parsed('<list>', 'only these: names, or read-only, edit, program, all', { expects: 'a list of tool names', parse: words }),
  mcp,
  maxOutput: parsed(
    '<chars>',
    'characters, not bytes, that the client shows of a result, as JSON (default: by the client, at most 40000)',
    MAX_OUTPUT,
    {
      rare: true,
    },
  ),
} as const;

/** A port; 0 for any free one. */
export const PORT = {
  expects: 'a port from 0 to 65535; 0 is any free port',
  parse: (given: string): number | undefined => (/^\d+$/u.test(given) && Number(given) <= 65_535 ? Number(given) : undefined),
};

/** Origins as browsers write them: scheme, host, and any unusual port. */
export const ORIGINS = {
  expects: 'origins such as https://app.example or http://devbox:8080',
  parse: (given: string): string[] | undefined => {
    const named = words(given);
    return named.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? named : undefined;
  },
};

/** The options of HTTP, in addition to `--http`. */
export const httpOptions = {
  host: text('<host>', 'with --http: the address to listen on (default: 127.0.0.1, this machine only)', { rare: true }),
  port: parsed('<number>', 'with --http: the port (default: 7411; 0 picks a free one)', PORT, { rare: true }),
  tokenFile: text('<file>', 'with --http: the file with the bearer token (default: in the state folder)', { rare: true }),
  allowOrigin: list('<list>', 'with --http: also allow pages of these origins', { ...ORIGINS, rare: true }),
} as const;
