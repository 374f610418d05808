import { list, parsed, text, words } from '../command/option.ts';
import { handsOptions, mcp } from '../command/shared-options.ts';

/** The options of `synapse mcp` for every transport. */
export const serverOptions = {
  ...handsOptions,
  tools: parsed('<list>', 'offer these only: tool names, or read-only, edit, all', { expects: 'a list of tool names', parse: words }),
  mcp,
} as const;

/** A port; 0 for any free one. */
export const PORT = {
  expects: 'a port from 0 to 65535; 0 is any that is free',
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
  host: text('<host>', 'with --http: listen here (default: 127.0.0.1, this machine alone)', { rare: true }),
  port: parsed('<number>', 'with --http: the port (default: 7411; 0: any that is free)', PORT, { rare: true }),
  tokenFile: text('<file>', 'with --http: holds the bearer token (default: one is made in the state folder)', { rare: true }),
  allowOrigin: list('<list>', 'with --http: pages of these origins may ask as well', { ...ORIGINS, rare: true }),
} as const;
