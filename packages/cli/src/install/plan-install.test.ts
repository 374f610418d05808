import { SynapseError } from '@synapse/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_TABLE, CLIENTS, type ClientDefinition, type ClientName, type ServerCommand } from './clients.ts';
import type { EntryFormat } from './entry-format.ts';
import { jsonFormat } from './json-format.ts';
import { ONLY_TABLE } from './client-settings.ts';
import type { InstallRecord } from './install-records.ts';
import { planInstall, planOwnFile, planRemoval } from './plan-install.ts';
import { changeBetween } from './revert.ts';
import { tomlFormat } from './toml-format.ts';

const SERVER: ServerCommand = { command: '/opt/node', words: ['/opt/synapse/bin/synapse.js', 'mcp', '--workspace', '/home/ada/a "b" c'] };
const FILE = '/home/ada/config';

const entryOf =
  (server: ServerCommand) =>
  (shape: ClientDefinition['shapes'][number]): Readonly<Record<string, unknown>> =>
    shape.entry(server);

const formatOf = ({ format }: ClientDefinition): EntryFormat => (format === 'toml' ? tomlFormat(FILE) : jsonFormat(FILE, format === 'jsonc'));

/** A file of the client as people keep them: other servers, other settings, and comments where it takes them. */
function livedIn({ format, shapes }: ClientDefinition): string {
  const keys = shapes.at(-1)?.keys ?? [];
  if (format === 'toml') {
    return `# mine\nmodel = "gpt-5" # the new one\n\n[${keys.join('.')}.other] # another\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "other",\n]\n\n# about env\n[${keys.join('.')}.other.env]\nTOKEN = "secret"\n\n[profiles.work]\nmodel = "o9"`;
  }
  const other = '{ "command": "npx", "args": ["-y", "other"] }';
  if (format === 'json') return `{\n    "numStartups": 12,\n    "${keys[0]}": {\n        "other": ${other}\n    },\n    "theme": "dark"\n}\n`;
  return `// mine\n{\n\t"theme": "dark", // not light\n\t"${keys[0]}": {\n\t\t/* another */\n\t\t"other": ${other}, // keep\n\t\t// "off": {}\n\t},\n}\n`;
}

const MALFORMED: Record<ClientDefinition['format'], string> = {
  json: '{\n  "mcpServers": {\n    "a": {} "b": {}\n  }\n}\n',
  jsonc: '{\n  // fine\n  "mcpServers": {\n    "a": {},\n',
  toml: 'model = "x"\n\n[mcp_servers.a\ncommand = "x"\n',
};

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SynapseError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no refusal';
}

describe.each(CLIENTS)('%s', (name: ClientName) => {
  const client = CLIENT_TABLE[name];
  const format = formatOf(client);
  const install = (text: string): ReturnType<typeof planInstall> => planInstall(client, { format, text, record: undefined }, entryOf(SERVER));

  it('writes what the golden file says', async () => {
    const [fresh, empty, kept] = [install(''), install('\n'), install(livedIn(client))];
    const again = install(kept.after);
    const sections = {
      'new file': fresh.after,
      'empty file': empty.after,
      'file with others and comments': kept.after,
      'taken out of it': planRemoval(client, { format, text: kept.after, record: undefined }).after,
      malformed: refusal(() => install(MALFORMED[client.format])),
    };
    expect([fresh.status, empty.status, kept.status, again.status]).toEqual(['install', 'install', 'install', 'unchanged']);
    expect(again.after).toBe(kept.after);
    const text = Object.entries(sections).map(([title, content]) => `===== ${title}\n${content}`);
    await expect(text.join('\n')).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  it('gives the file back to the letter, whatever was in it', () => {
    const value = fc.dictionary(
      fc.constantFrom(...client.shapes.flatMap(({ keys }) => keys), 'a', 'synapse'),
      fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.integer())),
    );
    const spaces = fc.constantFrom('', '  ', '\t', '    ');
    const json = fc.tuple(value, spaces, fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n', '\n\n')).map(([fields, unit, lineEnd, end]) => {
      return JSON.stringify(fields, null, unit).replaceAll('\n', lineEnd) + end;
    });
    const toml = fc.array(fc.constantFrom('# a', '', 'a = 1', '[b]', "c = '[x]'"), { maxLength: 6 }).map((lines) => [...new Set(lines)].join('\n'));
    fc.assert(
      fc.property(client.format === 'toml' ? toml : json, (text) => {
        const { after, original } = install(text);
        const record = { change: changeBetween(original, after), created: false, folders: 0, settings: [] };
        expect(planRemoval(client, { format, text: after, record }).after).toBe(text);
        expect(install(after)).toMatchObject({ status: 'unchanged' });
      }),
    );
  });

  it('takes the entry out of a file that others changed as well', () => {
    const kept = install(livedIn(client));
    const record = { change: changeBetween(kept.original, kept.after), created: false, folders: 0, settings: [] };
    const [before, after] = client.format === 'toml' ? ['model = "gpt-5"', 'model = "gpt-6"'] : ['"dark"', '"light and long"'];
    const text = kept.after.replace(before, after);
    expect(planRemoval(client, { format, text, record })).toMatchObject({ status: 'remove', after: livedIn(client).replace(before, after) });
  });

  it('says that there is nothing to take out', () => {
    for (const text of ['', livedIn(client)]) {
      expect(planRemoval(client, { format, text, record: undefined })).toMatchObject({ status: 'absent', after: text });
    }
  });

  it('brings an older entry up to date in its place, and still knows what the file was', () => {
    const older = planInstall(client, { format, text: livedIn(client), record: undefined }, entryOf({ ...SERVER, command: '/old/node' }));
    const record = { change: changeBetween(older.original, older.after), created: false, folders: 0, settings: [] };
    const plan = planInstall(client, { format, text: older.after, record }, entryOf(SERVER));
    expect(plan).toMatchObject({ status: 'update', after: install(livedIn(client)).after, original: livedIn(client) });
  });

  it('takes its own entry out also where others changed the file before it was brought up to date', () => {
    const first = planInstall(client, { format, text: livedIn(client), record: undefined }, entryOf({ ...SERVER, command: '/old/node' }));
    const record = { change: { ...changeBetween(first.original, first.after), inserted: 'gone' }, created: false, folders: 0, settings: [] };
    const second = planInstall(client, { format, text: first.after.replace('o', 'oo'), record }, entryOf(SERVER));
    const after = { change: changeBetween(second.original, second.after), created: false, folders: 0, settings: [] };
    const { after: left } = planRemoval(client, { format, text: second.after, record: after });
    expect(format.get(left, [...(client.shapes.at(-1)?.keys ?? []), 'synapse'])).toBeUndefined();
  });

  it("replaces somebody else's server of the same name, and can bring it back", () => {
    const theirs = install(livedIn(client)).after.replace('/opt/node', '/opt/nodf');
    const plan = install(theirs);
    expect(plan.status).toBe('update');
    const record = { change: changeBetween(plan.original, plan.after), created: false, folders: 0, settings: [] };
    expect(planRemoval(client, { format, text: plan.after, record }).after).toBe(theirs);
    // Changed since: what was replaced is one letter, which is not looked for.
    const [before, after] = client.format === 'toml' ? ['model = "gpt-5"', 'model = "e"'] : ['"dark"', '"e"'];
    const removed = planRemoval(client, { format, text: plan.after.replace(before, after), record }).after;
    expect(removed).toContain(after);
    expect(format.get(removed, [...(client.shapes.at(-1)?.keys ?? []), 'synapse'])).toBeUndefined();
  });
});

describe('opencode', () => {
  const client = CLIENT_TABLE.opencode;
  const format = jsonFormat(FILE, true);

  it.each([
    ['{"mcp": {"servers": {}}}', '{"mcp": {"servers": {"synapse": {"type":"local","command":["node"]}}}}'],
    ['{"mcp": {"servers": {"type": "local", "command": ["x"]}}}', undefined],
    ['{"mcp": {}}', undefined],
  ])('uses the shape that the file uses: %s', (text, expected) => {
    const { after } = planInstall(client, { format, text, record: undefined }, entryOf({ command: 'node', words: [] }));
    if (expected === undefined) expect(after).toContain('"synapse": {"type":"local","command":["node"],"enabled":true}');
    else expect(after).toBe(expected);
  });
});

describe('settings beside the entry', () => {
  const cases = CLIENTS.flatMap((name) =>
    Object.values(ONLY_TABLE[name]).flatMap((only) => [
      ...(only.settings === undefined ? [] : [{ name, format: CLIENT_TABLE[name].format, settings: only.settings }]),
      ...(only.files ?? []).flatMap((file) => (file.format === 'text' ? [] : [{ name, format: file.format, settings: file.settings }])),
    ]),
  );
  const formatFor = (format: ClientDefinition['format']): EntryFormat =>
    format === 'toml' ? tomlFormat(FILE) : jsonFormat(FILE, format === 'jsonc');
  const recordOf = ({ original, after, placed }: ReturnType<typeof planOwnFile>): InstallRecord => ({
    change: changeBetween(original, after),
    created: false,
    folders: 0,
    settings: placed,
  });
  /** A file of a person who has an opinion on all of these. */
  const opinions = {
    json: '{\n  "permissions": {\n    "deny": ["Bash(rm *)", "Read"],\n    "allow": []\n  },\n  "version": 1,\n  "theme": "dark"\n}\n',
    jsonc:
      '{\n  // mine\n  "tools": { "core": ["ls"] },\n  "permission": "ask",\n  "agent": { "default_profile": "write", /* x */ "profiles": {} },\n  "theme": "dark",\n}\n',
    toml: '# mine\nweb_search = "live" # fresh\ntheme = "dark"\n\n[features]\nshell_tool = true\n\n[agents]\nmax_threads = 3\n',
  };

  it.each(cases)('$name: $format is put in and taken out to the byte', ({ format, settings }) => {
    for (const text of ['', opinions[format]]) {
      const input = { format: formatFor(format), text, record: undefined };
      const plan = planOwnFile(input, settings);
      expect(plan.after).not.toBe(text);
      const record = recordOf(plan);
      expect(planOwnFile({ ...input, text: plan.after, record }, settings)).toMatchObject({ status: 'unchanged', after: plan.after });
      expect(planRemoval(undefined, { ...input, text: plan.after, record })).toMatchObject({ status: 'remove', after: text });
    }
  });

  it.each(cases)('$name: $format that others changed since keeps what is theirs', ({ format, settings }) => {
    const own = formatFor(format);
    const plan = planOwnFile({ format: own, text: opinions[format], record: undefined }, settings);
    const text = plan.after.replace('dark"', 'light and long"').replace('"Bash"', '"Bash", "Theirs"');
    expect(text).not.toBe(plan.after);
    const { after } = planRemoval(undefined, { format: own, text, record: recordOf(plan) });
    const rest = own.without(after, [['theme'], ['permissions', 'deny']]);
    const before = own.without(opinions[format], [['theme'], ['permissions', 'deny']]);
    expect(rest).toEqual(before);
    expect(own.get(after, ['theme'])).toBe('light and long');
    if (format === 'json')
      expect(own.get(after, ['permissions', 'deny'])).toEqual(text.includes('Theirs') ? ['Bash(rm *)', 'Read', 'Theirs'] : ['Bash(rm *)', 'Read']);
  });

  it('leaves a setting that its owner changed since', () => {
    const format = tomlFormat(FILE);
    const plan = planOwnFile({ format, text: 'a = 1\n', record: undefined }, [{ keys: ['web_search'], value: 'disabled' }]);
    const text = plan.after.replace('disabled', 'live');
    expect(planRemoval(undefined, { format, text, record: recordOf(plan) }).after).toBe(text);
  });

  it('takes out the settings of an earlier installation that are wanted no more', () => {
    const client = CLIENT_TABLE.codex;
    const format = tomlFormat(FILE);
    const settings = ONLY_TABLE.codex.user?.settings ?? [];
    const first = planInstall(client, { format, text: opinions.toml, record: undefined }, entryOf(SERVER), settings);
    const second = planInstall(client, { format, text: first.after, record: recordOf(first) }, entryOf(SERVER));
    expect(second).toMatchObject({ status: 'update', original: opinions.toml, placed: [] });
    expect(second.after).toBe(planInstall(client, { format, text: opinions.toml, record: undefined }, entryOf(SERVER)).after);
  });

  it('takes out what an earlier version wrote and Codex no longer works with', () => {
    const client = CLIENT_TABLE.codex;
    const format = tomlFormat(FILE);
    const settings = ONLY_TABLE.codex.user?.settings ?? [];
    expect(JSON.stringify(settings)).not.toContain('direct_only_tool_namespaces');
    const earlier = [...settings, { keys: ['features', 'code_mode'], value: { direct_only_tool_namespaces: ['mcp__synapse'] } }];
    for (const text of ['', opinions.toml]) {
      const first = planInstall(client, { format, text, record: undefined }, entryOf(SERVER), earlier);
      expect(first.after).toContain('direct_only_tool_namespaces');
      const second = planInstall(client, { format, text: first.after, record: recordOf(first) }, entryOf(SERVER), settings);
      expect(second).toMatchObject({ status: 'update', original: text });
      expect(second.after).toBe(planInstall(client, { format, text, record: undefined }, entryOf(SERVER), settings).after);
      expect(planRemoval(client, { format, text: first.after, record: recordOf(first) })).toMatchObject({ status: 'remove', after: text });
      // Changed since: then it is found by its path.
      const changed = first.after.replace('web_search = "disabled"', 'web_search = "live"');
      expect(planInstall(client, { format, text: changed, record: recordOf(first) }, entryOf(SERVER), settings).after).not.toContain('direct_only');
    }
  });

  it('leaves a value that only has to be there', () => {
    const format = jsonFormat(FILE, false);
    const text = '{ "editor": { "vimMode": true } }';
    const setting = { keys: ['editor'], value: { vimMode: false }, ifAbsent: true } as const;
    expect(planOwnFile({ format, text, record: undefined }, [setting])).toMatchObject({ status: 'unchanged', after: text, placed: [] });
    expect(planOwnFile({ format, text: '{}', record: undefined }, [setting]).after).toContain('"vimMode": false');
  });

  it('refuses what is no list', () => {
    const format = jsonFormat(FILE, false);
    const work = (): unknown =>
      planOwnFile({ format, text: '{"permissions":{"deny":"all"}}', record: undefined }, [
        { keys: ['permissions', 'deny'], value: ['x'], adds: true },
      ]);
    expect(refusal(work)).toBe('invalid_arguments: Not a list: permissions.deny. Nothing was changed.');
  });
});
