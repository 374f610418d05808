import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { cookieName, secretOf, type Access } from './access.ts';

/** Maximum bytes of a sign-in request: a token and little more. */
const MAX_BODY = 1_000;

const SignIn = z.strictObject({ token: z.string().max(200) });

interface SignInParts {
  readonly access: Access;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the body; undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_BODY) return undefined;
  }
  return text;
}

function tokenIn(body: string | undefined): string | undefined {
  try {
    return SignIn.parse(JSON.parse(body ?? '')).token;
  } catch {
    // Not a valid sign-in.
    return undefined;
  }
}

/** `GET` reports whether the browser is signed in; `POST` signs it in with the token of a link. */
export function answerSignIn(request: IncomingMessage, response: ServerResponse, { access, port, headers }: SignInParts): void {
  const say = (status: number, body: object, more: Readonly<Record<string, string>> = {}): void => {
    const caching = { 'cache-control': 'no-store', 'content-type': 'application/json' };
    response.writeHead(status, { ...headers, ...caching, ...more }).end(JSON.stringify(body));
  };
  if (request.method !== 'POST') {
    const known = access.knows(secretOf(request.headers.cookie, port));
    say(known ? 200 : 401, { signedIn: known });
    return;
  }
  // A form on another page cannot send this content type without a preflight request.
  if (request.headers['content-type'] !== 'application/json') {
    say(415, { error: 'application/json is expected.' });
    return;
  }
  void bodyOf(request)
    .then((body) => {
      const made = access.signIn(tokenIn(body) ?? '');
      if (made === undefined) say(401, { error: 'This link was used, or waited too long.' });
      else say(200, { key: made.key }, { 'set-cookie': `${cookieName(port)}=${made.secret}; Path=/; HttpOnly; SameSite=Strict` });
    })
    .catch(() => request.destroy());
}
