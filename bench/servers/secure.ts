// An HTTPS server in a process of its own: `secure KEY CERTIFICATE`. It prints its port, and answers with as many bytes as the path says: of one
// letter, or with `?archive` of all kinds, as in what is compressed.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const [key = '', certificate = ''] = process.argv.slice(2);
const letters = Buffer.alloc(64 * 1024, 'x');
const archive = randomBytes(letters.length);
const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
  const block = request.url?.endsWith('?archive') === true ? archive : letters;
  let left = Number.parseInt(request.url?.slice(1) ?? '0', 10);
  response.setHeader('content-length', left);
  const next = (): void => {
    while (left > 0) {
      const part = block.subarray(0, left);
      left -= part.length;
      if (!response.write(part)) {
        response.once('drain', next);
        return;
      }
    }
    response.end();
  };
  next();
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
