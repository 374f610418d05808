import {
  assertSecretName,
  checkSecretValue,
  fillsSame,
  type KnownSecret,
  nearest,
  parseServer,
  parseWay,
  placeText,
  SECRET_KINDS,
  type Secret,
  type ValuePlace,
} from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { list, parsed, text } from '../command/option.ts';
import { json } from '../command/shared-options.ts';
import { openSecrets } from '../input/open-secrets.ts';
import { secretValue } from '../input/secret-value.ts';
import { printJson } from '../output/print-json.ts';
import { shownSecret } from '../output/shown-secret.ts';

function noHost(name: string): SynapseError {
  const near = nearest(name, Object.keys(SECRET_KINDS));
  return new SynapseError('invalid_arguments', `${name.slice(0, 80)} needs the host that may get it.`, {
    hint: `${near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `}Add --host api.example.com. Without it: ${Object.keys(SECRET_KINDS).join(', ')}.`,
  });
}

type Kind = (typeof SECRET_KINDS)[string];

/** Whether what a secret is for lacks a part, as its kind has no places. */
const lacksPart = (kind: Kind | undefined, hosts: readonly string[], as: string | undefined): boolean =>
  kind?.places.length === 0 && (hosts.length === 0 || as === undefined);

/** What a secret is for: by a known word, or by its hosts. */
function described(name: string, hosts: readonly string[], as: string | undefined): Omit<Secret, 'value' | 'added'> {
  const kind = Object.hasOwn(SECRET_KINDS, name) ? SECRET_KINDS[name] : undefined;
  if (kind !== undefined && kind.places.length > 0 && hosts.length === 0 && as === undefined) {
    return { name: kind.name, also: [...(kind.also ?? [])], texts: { ...kind.texts }, places: [...kind.places] };
  }
  if (lacksPart(kind, hosts, as)) {
    throw new SynapseError('invalid_arguments', `${name} needs the id of the key, and the hosts that it is for.`, {
      hint: `synapse secrets add ${name} --as "aws AKIA…" --host sts.us-east-1.amazonaws.com,s3.us-east-1.amazonaws.com`,
    });
  }
  if (kind === undefined) assertSecretName(name);
  if (hosts.length === 0) throw noHost(name);
  const way = parseWay(as ?? 'bearer');
  return {
    name: kind?.name ?? name,
    also: [],
    texts: way.kind === 'aws' ? { AWS_ACCESS_KEY_ID: way.id } : {},
    places: hosts.map((host) => ({ ...parseServer(host), as: way })),
  };
}

/** Says which of several secrets for a server is added to requests: the first one by name. */
function sharedNotes(secret: Pick<Secret, 'name' | 'places'>, known: readonly KnownSecret[]): string[] {
  return secret.places.flatMap((place) => {
    const [first, ...others] = known.filter(({ places }) => places.some((its) => fillsSame(place, its))).map(({ name }) => name);
    if (first === undefined || others.length === 0) return [];
    const rest = others.map((name) => `$${name}`).join(', ');
    return [`${placeText(place)} gets ${first} where a command names none; ${rest} only where a command sends it itself.`];
  });
}

/** Says which of several secrets a variable with a fixed text is of, such as the id of a key: the last one by name. */
function variableNotes({ texts }: Pick<Secret, 'texts'>, known: readonly KnownSecret[]): string[] {
  return Object.keys(texts).flatMap((variable) => {
    const others = known.filter((one) => Object.hasOwn(one.texts, variable));
    const last = others.at(-1);
    if (last === undefined || others.every((one) => one.texts[variable] === last.texts[variable])) return [];
    const names = others.map(({ name }) => name).join(', ');
    return [`Where the network is open to servers of several of ${names}, $${variable} is that of ${last.name}. Open it to those of one.`];
  });
}

const valuePlace = (given: string): ValuePlace | undefined => (given === 'file' || given === 'keychain' ? given : undefined);

export const command = defineCommand({
  details:
    'Commands find a placeholder in $NAME. The proxy of the sandbox puts the value into requests to the named hosts, and takes it out of what ' +
    'comes back. The value is typed at a hidden prompt, or read from stdin. A name that exists is replaced.',
  arguments: { '<name>': `a variable such as DEPLOY_TOKEN, or ${Object.keys(SECRET_KINDS).join(', ')}` },
  options: {
    host: list('<list>', 'the servers that may get it: api.example.com, nexus.example.com:8443'),
    as: text('<way>', 'bearer (default), basic, "basic USER", "header X-Key", "query key", "aws KEY-ID", env'),
    fromEnv: text('<variable>', 'read the value from this variable'),
    fromCommand: text('<command>', 'read the value from what a command prints'),
    store: parsed('<place>', 'where the value is kept: file (default) or keychain', { expects: 'file or keychain', parse: valuePlace }),
    json,
  },
  examples: [
    ['synapse secrets add github --from-command "gh auth token"', 'for api.github.com and github.com'],
    ['synapse secrets add DEPLOY_TOKEN --host api.example.com', 'as Authorization: Bearer'],
    ['synapse secrets add MAPS_KEY --host maps.example.com --as "query key"', 'as a parameter'],
  ],
  async run({ arguments: { name }, options, out, err, stdin, signal }) {
    const what = described(name, options.host, options.as);
    const given = await secretValue(options, what.name, { err, stdin, signal });
    const value = checkSecretValue(
      given,
      what.places.map(({ as }) => as),
    );
    const secret = { ...what, value, added: new Date().toISOString() };
    const { store = 'file' } = options;
    const secrets = openSecrets(signal);
    const replaced = await secrets.add(secret, store);
    if (options.json) printJson(out, { replaced, ...shownSecret({ ...secret, store }) });
    else {
      const hosts = secret.places.map(placeText);
      err.write(
        `${secret.name} is ${replaced ? 'replaced' : 'stored'}${store === 'keychain' ? ' in the keychain' : ''}, for ${hosts.join(', ')}.\n`,
        'green',
      );
      err.write(`Commands use it where their network is open to it: --network ${hosts.map((host) => host.replace('http://', '')).join(',')}\n`);
      const known = secrets.known();
      for (const line of [...sharedNotes(secret, known), ...variableNotes(secret, known)]) err.write(`${line}\n`, 'yellow');
      const local = secret.places.find(({ scheme }) => scheme === 'http');
      if (local !== undefined) err.write(`Without TLS only with a rule that opens this machine: "allow": ["fetch(${local.host})"]\n`, 'yellow');
    }
    return 0;
  },
});
