import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frontMatter } from './front-matter.ts';
import { parseReport } from './parse-report.ts';

const NOTHING = { files_read: [], tool_calls: {}, confidence: 'low' };

describe('parseReport', () => {
  it('reads back whatever attribution was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          files_read: fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 8 }),
          // As tools are named: `__proto__` is none, and is left out of what is read.
          tool_calls: fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,19}$/u), fc.nat(), { noNullPrototype: true, maxKeys: 6 }),
          confidence: fc.constantFrom('high' as const, 'medium' as const, 'low' as const),
        }),
        async (attribution) => {
          expect(await parseReport(`${frontMatter(attribution)}\n\n## Body\n`)).toEqual({ attribution, source: 'front-matter', body: '## Body\n' });
        },
      ),
    );
  });

  it.each([
    [
      'as a model may write it',
      '---\nattribution:\n  files_read: [a.md, b.md]\n  tool_calls: {read_file: "2"}\n  confidence: High\n---\nx',
      { files_read: ['a.md', 'b.md'], tool_calls: { read_file: 2 }, confidence: 'high' },
    ],
    ['in a fence', '```markdown\n---\nattribution:\n  confidence: medium\n---\nx\n```', { ...NOTHING, confidence: 'medium' }],
    [
      'with old line ends and a mark at the beginning',
      '\uFEFF---\r\nattribution:\r\n  confidence: medium\r\n---\r\nx',
      { ...NOTHING, confidence: 'medium' },
    ],
    ['with a name that is no tool', '---\nattribution:\n  tool_calls: {"__proto__": 1}\n---\nx', NOTHING],
    ['with fields of other types', '---\nattribution:\n  files_read: 7\n  tool_calls: [1]\n  confidence: sure\n---\nx', NOTHING],
  ])('reads front matter %s', async (_name, markdown, attribution) => {
    const parsed = await parseReport(markdown);
    expect(parsed).toMatchObject({ attribution, source: 'front-matter' });
    expect(parsed.body.trim()).toBe('x');
  });

  it.each([
    [
      'plain',
      'Based on: package.json, README.md, git_log',
      { files_read: ['package.json', 'README.md'], tool_calls: { git_log: 1 }, confidence: 'low' },
    ],
    [
      'as a list with emphasis',
      '- **Based on:** `src/a.ts:12`, git_log (3), `read_file` ×2.\n\nConfidence: medium',
      { files_read: ['src/a.ts'], tool_calls: { git_log: 3, read_file: 2 }, confidence: 'medium' },
    ],
    ['names with commas and backticks', 'Based on: `a, b.md`, `` c`d ``', { files_read: ['a, b.md', 'c`d'], tool_calls: {}, confidence: 'low' }],
    ['several lines', 'Based on: a.md\ntext\nbased on: b.md', { files_read: ['a.md', 'b.md'], tool_calls: {}, confidence: 'low' }],
    ['below broken front matter', '---\nattribution: [\n---\nBased on: a.md', { files_read: ['a.md'], tool_calls: {}, confidence: 'low' }],
  ])('falls back on lines: %s', async (_name, markdown, attribution) => {
    expect(await parseReport(markdown)).toMatchObject({ attribution, source: 'based-on' });
  });

  it.each(['', '---', '---\nno end', '# A report\n\nAll is well.', '---\nother: 1\n---\n', `---\na: ${'['.repeat(30_000)}\n---\n`])(
    'finds nothing in %#',
    async (markdown) => {
      expect(await parseReport(markdown)).toMatchObject({ attribution: NOTHING, source: 'none' });
    },
  );

  it('does not expand aliases without end', async () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c]\nattribution: {files_read: [*d,*d,*d]}\n---\n`;
    expect(await parseReport(bomb)).toMatchObject({ source: 'none' });
  });

  it('reads front matter after words of the model', async () => {
    const report = 'Here is the report.\n\n---\n\n---\nattribution:\n  files_read: [a.txt]\n  tool_calls: {}\n  confidence: high\n---\n\n## Body\n';
    expect(await parseReport(report)).toMatchObject({ source: 'front-matter', attribution: { files_read: ['a.txt'], confidence: 'high' } });
  });
});
