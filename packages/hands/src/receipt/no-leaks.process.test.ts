import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { canonicalJson } from './canonical-json.ts';
import { Receipts } from './receipts.ts';

const TOKEN = 'ghp_0123456789abcdefABCDEF0123456789';

/** Commands, and what must not be in their receipts. */
const LEAKS: ReadonlyArray<readonly [command: string, ...needles: string[]]> = [
  [`curl -s -H 'Authorization: Bearer abcdefghijklmnop' http://127.0.0.1:1/ || true`, 'abcdefghijklmnop'],
  [`DB_PASSWORD=hunter2hunter2 true`, 'hunter2hunter2'],
  [`true --api-key=s3cr3tvalue99 --password 'with space 77'`, 's3cr3tvalue99', 'with space 77'],
  [`echo ${TOKEN} > token.txt`, TOKEN],
  [`echo "$SERVICE_TOKEN"; echo from-environment-123456`, 'from-environment-123456'],
  [`cat /etc/passwd`, '/etc', 'passwd', 'root:'],
  [`cat "/etc/some dossier/inner name.txt" || true`, '/etc', 'dossier', 'inner'],
  [`cat '/etc/some dossier/inner name.txt' || true`, '/etc', 'dossier', 'inner'],
  [String.raw`cat /etc/some\ dossier/inner\ name.txt || true`, '/etc', 'dossier', 'inner'],
  [`cat ../outside/far.txt || true`, 'outside/', 'far.txt'],
  [`cat ~/.ssh/id_rsa || true`, '.ssh', 'id_rsa'],
  [`true file:///srv/private/x --data=@/srv/private/y -I/srv/private/z {/srv/private/a,/srv/private/b}`, 'private'],
  [`cat a.txt`, 'inner words of a file'],
  [`cat > b.txt <<'END'\ninner words of a file\nEND`, 'inner words of a file'],
  [`cat > c.txt <<-END\n\tinner words of a file\n\tEND\ncat c.txt`, 'inner words of a file'],
  [`cat <<END >d.txt\ninner words of a file`, 'inner words of a file'],
];

it('holds no secret, no path outside the workspace, and no content of a file', async () => {
  await using at = await temporaryHands({ 'a.txt': 'inner words of a file\n' }, { environment: { SERVICE_TOKEN: 'from-environment-123456' } });
  writeFileSync(join(at.outside, 'far.txt'), 'far\n');
  const calls: string[] = [];
  for (const [command] of LEAKS) {
    const { meta } = await at.hands.call('run_command', { command });
    calls.push(meta.callId);
  }
  using receipts = new Receipts(at.folder, join(at.folder, '..', 'state'));
  const leaked = LEAKS.flatMap(([command, ...needles], index) => {
    const call = receipts.call(calls[index] ?? '');
    const texts = [canonicalJson(receipts.receipt(call)), Buffer.from(receipts.attestation(call).payload, 'base64').toString()];
    return [...needles, at.outside, at.folder]
      .filter((needle) => texts.some((text) => text.includes(needle)))
      .map((needle) => `${command}: ${needle}`);
  });
  expect(leaked).toEqual([]);
  expect((await receipts.newest()).filter(({ command }) => command.includes('inner words'))).toEqual([]);
  // A command is still the same command, and another here-document another one.
  const written = receipts.receipt(receipts.call(calls[13] ?? ''));
  const told = async (command: string): Promise<string> => (await receipts.verify(canonicalJson(written), { key: undefined, command })).state;
  expect(await told(LEAKS[13]?.[0] ?? '')).not.toBe('not-this');
  expect(await told(`cat > b.txt <<'END'\nother words\nEND`)).toBe('not-this');
}, 60_000);
