import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { makePlace, startCli, type Place } from './run-cli.ts';

/** A running `synapse mcp --http`. */
export interface HttpServer extends AsyncDisposable {
  readonly place: Place;
  readonly url: string;
  readonly token: string;
  /** Returns its output on stderr. */
  readonly told: () => string;
  /** Ends it and returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts the built command on a free port and waits until it listens. */
export async function startHttp(words: readonly string[] = [], files: Record<string, string> = {}, before?: Place): Promise<HttpServer> {
  const place = before ?? (await makePlace(files));
  const child = startCli(place, ['mcp', '--http', '--port', '0', ...words]);
  if (child.stdout === null || child.stderr === null) throw new Error('The command has no pipes.');
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (part) => void (told += String(part)));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([once(lines, 'line'), exited.then(() => Promise.reject(new Error(told)))])) as [string];
  // It prints the URL and the path of the token file, never the token.
  while (!told.includes('.token')) await once(child.stderr, 'data');
  const token = (await readFile(/\S+\.token/u.exec(told)?.[0] ?? '', 'utf8')).trim();
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    return (await exited)[0];
  };
  return { place, url, token, told: () => told, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
